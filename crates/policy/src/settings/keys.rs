//! The keys that are known in settings, and the nearest of them to one that isn't.
//!
//! Claude Code has many settings that don't concern permissions. They are known, so that a file that
//! both programs read loads without noise; a key that neither knows is a mistake worth telling.

/// Keys of Claude Code that mean something here.
pub(super) const TOP_OURS: &[&str] = &[
    "permissions",
    "hooks",
    "disableAllHooks",
    "allowManagedHooksOnly",
    "allowManagedPermissionRulesOnly",
    "disableBypassPermissionsMode",
    "disableAutoMode",
    "allowedHttpHookUrls",
    "httpHookAllowedEnvVars",
];

/// Keys of Claude Code that mean nothing here.
pub(super) const TOP_OTHER: &[&str] = &[
    "$schema",
    "advisorModel",
    "agent",
    "allowAppleEvents",
    "allowManagedMcpServersOnly",
    "allowedChannelPlugins",
    "allowedMcpServers",
    "alwaysThinkingEnabled",
    "apiKeyHelper",
    "attribution",
    "autoCompactEnabled",
    "autoMemoryDirectory",
    "autoMemoryEnabled",
    "autoMode",
    "autoScrollEnabled",
    "autoUpdates",
    "autoUpdatesChannel",
    "availableModels",
    "awaySummaryEnabled",
    "awsAuthRefresh",
    "awsCredentialExport",
    "blockedMarketplaces",
    "channelsEnabled",
    "claudeMdExcludes",
    "cleanupPeriodDays",
    "companyAnnouncements",
    "crossSessionInbound",
    "defaultShell",
    "deniedMcpServers",
    "dialogExpiry",
    "disableClaudeAiConnectors",
    "disableCommandPluginSources",
    "disableDeepLinkRegistration",
    "disableSideloadFlags",
    "disableSkillShellExecution",
    "disabledMcpjsonServers",
    "editorMode",
    "effortLevel",
    "enableAllProjectMcpServers",
    "enabledMcpjsonServers",
    "enabledPlugins",
    "enforceAvailableModels",
    "env",
    "extraKnownMarketplaces",
    "fallbackModel",
    "fastMode",
    "fastModePerSessionOptIn",
    "feedbackSurveyRate",
    "fileCheckpointingEnabled",
    "fileSuggestion",
    "forceLoginMethod",
    "forceLoginOrgUUID",
    "forceRemoteSettingsRefresh",
    "gcpAuthRefresh",
    "includeCoAuthoredBy",
    "includeGitInstructions",
    "language",
    "mcpServers",
    "minimumVersion",
    "model",
    "modelOverrides",
    "otelHeadersHelper",
    "outputStyle",
    "parentSettingsBehavior",
    "plansDirectory",
    "pluginConfigs",
    "pluginTrustMessage",
    "policyHelper",
    "prUrlTemplate",
    "preferredNotifChannel",
    "prefersReducedMotion",
    "promptSuggestionEnabled",
    "requiredMinimumVersion",
    "respectGitignore",
    "sandbox",
    "showClearContextOnPlanAccept",
    "showThinkingSummaries",
    "showTurnDuration",
    "skillOverrides",
    "skipAutoPermissionPrompt",
    "skipDangerousModePermissionPrompt",
    "skipWebFetchPreflight",
    "skippedMarketplaces",
    "skippedPlugins",
    "spinnerTipsEnabled",
    "spinnerTipsOverride",
    "spinnerVerbs",
    "sshConfigs",
    "statusLine",
    "strictKnownMarketplaces",
    "strictPluginOnlyCustomization",
    "subagentStatusLine",
    "syntaxHighlightingDisabled",
    "teammateMode",
    "terminalProgressBarEnabled",
    "theme",
    "tui",
    "useAutoModeDuringPlan",
    "verbose",
    "viewMode",
    "voice",
    "voiceEnabled",
    "worktree",
    "wslInheritsWindowsSettings",
];

/// Keys of Claude Code that had a meaning once and have none now.
pub(super) const TOP_FORMER: &[(&str, &str)] = &[
    (
        "ignorePatterns",
        "it has no effect any more; write `Read(...)` rules under `permissions.deny`",
    ),
    (
        "allowedTools",
        "it has no effect here; write the rules under `permissions.allow`",
    ),
];

/// Keys under `permissions`.
pub(super) const PERMISSIONS: &[&str] = &[
    "allow",
    "ask",
    "deny",
    "additionalDirectories",
    "defaultMode",
    "disableBypassPermissionsMode",
    "disableAutoMode",
];

/// Keys under `permissions` that only later versions of Claude Code know and that mean nothing here.
pub(super) const PERMISSIONS_OTHER: &[&str] = &[
    "blockReadsOutsideWorkingDirectories",
    "blockWritesOutsideWorkingDirectories",
    "denyInsteadOfPrompting",
];

/// Keys under `pointsman`.
pub(super) const POINTSMAN: &[&str] = &[
    "deadline_s",
    "unattended",
    "surfaces",
    "classifier",
    "notify",
    "hangup",
    "explainer",
];

/// Keys of `notify`.
pub(super) const NOTIFY: &[&str] = &[
    "command", "bell", "desktop", "remind_s", "escalate", "quiet",
];

/// Keys of `escalate`.
pub(super) const ESCALATE: &[&str] = &["after_s", "command"];

/// Keys of the classifier.
pub(super) const CLASSIFIER: &[&str] = &[
    "command",
    "timeout_s",
    "attempt_timeout_s",
    "guidance",
    "model",
    "dialect",
    "base_url",
    "key_env",
    "budget",
    "prices",
];

/// Keys of the explainer.
pub(super) const EXPLAINER: &[&str] = &[
    "timeout_s",
    "model",
    "dialect",
    "base_url",
    "key_env",
    "budget",
    "prices",
];

/// Keys of what a classifier is told.
pub(super) const GUIDANCE: &[&str] = &["environment", "allow", "refuse"];

/// Keys of what a model may cost.
pub(super) const MODEL_BUDGET: &[&str] = &["tokens", "money", "time_s"];

/// Keys of what a model's tokens cost.
pub(super) const MODEL_PRICES: &[&str] = &["input", "output", "cache_read", "cache_write"];

/// Events of Claude Code that have no hooks here.
pub(super) const HOOK_EVENTS_OTHER: &[&str] = &[
    "Setup",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PostToolBatch",
    "MessageDisplay",
    "TaskCreated",
    "TaskCompleted",
    "StopFailure",
    "TeammateIdle",
    "InstructionsLoaded",
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "FileChanged",
    "WorktreeCreate",
    "WorktreeRemove",
    "PreCompact",
    "PostCompact",
    "Elicitation",
    "ElicitationResult",
];

/// Events of other programs whose hooks have the same shape, each with ours.
pub(super) const HOOK_EVENTS_OF_OTHERS: &[(&str, &str)] = &[
    ("BeforeTool", "PreToolUse"),
    ("AfterTool", "PostToolUse"),
    ("beforeShellExecution", "PreToolUse"),
    ("beforeMCPExecution", "PreToolUse"),
    ("beforeReadFile", "PreToolUse"),
    ("BeforeAgent", "SubagentStart"),
    ("AfterAgent", "SubagentStop"),
];

/// Keys of a group of hooks.
pub(super) const HOOK_GROUP: &[&str] = &["matcher", "hooks"];

/// Keys of a hook; the last two are pointsman's own.
pub(super) const HOOK: &[&str] = &[
    "type",
    "command",
    "args",
    "url",
    "headers",
    "allowedEnvVars",
    "if",
    "timeout",
    "async",
    "asyncRewake",
    "shell",
    "statusMessage",
    "once",
    "guard",
    "resident",
];

/// Keys of kinds of hooks that aren't run here.
pub(super) const HOOK_OTHER: &[&str] = &[
    "server",
    "tool",
    "input",
    "prompt",
    "model",
    "continueOnBlock",
];

/// The known key that was most likely meant, if any is near.
pub(super) fn nearest<'k>(
    key: &str,
    known: impl IntoIterator<Item = &'k &'k str>,
) -> Option<&'k str> {
    let lower = key.to_lowercase();
    known
        .into_iter()
        .filter(|known| key.len().abs_diff(known.len()) <= far(known))
        .map(|known| {
            let distance = strsim::damerau_levenshtein(&lower, &known.to_lowercase());
            (distance, *known)
        })
        .filter(|(distance, known)| *distance <= far(known))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// How many letters may differ: about one in three, so that `alow` is near `allow` and `model` isn't.
fn far(known: &str) -> usize {
    (known.len() / 3).max(1)
}
