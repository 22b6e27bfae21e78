//! What is known of a call before the first rung: each effect with the rules that match it and the
//! place it lies in.

use std::cell::OnceCell;
use std::sync::LazyLock;

use pointsman_model::{
    AbsPath, Change, Effect, EffectKind, GrantId, Opaque, OpaqueWhy, PathUse, PathValue,
    PermissionRule, Reach, RuleBehavior, SandboxState, ToolName,
};
use smallvec::SmallVec;

use super::mode::lets_edits_pass;
use super::why::CoverOf;
use super::{LEAVES_SANDBOX, Question};
use crate::index::{Compiled, Hit, Hits, Strength, read, tool_strength};
use crate::place::{
    Directories, Landing, Precious, Removes, changed_through_ourselves, is_critical, protected,
    protected_by_spelling,
};
use crate::rule::PathAccess;
use crate::subject::operators::SIGNS;
use crate::subject::{CommandSubject, PathSubject, Subject};
use crate::wild::Wild;

/// The leader's overlay, made ready.
#[derive(Debug)]
pub(crate) struct OverlayRules {
    tightenings: Vec<Compiled>,
    grants: Vec<(GrantId, Compiled)>,
    /// A tightening that can't be read; it may match everything.
    unreadable: Option<PermissionRule>,
}

impl OverlayRules {
    pub(crate) fn of(q: &Question<'_>) -> Self {
        let anchors = q.frozen.index.anchors();
        let compile = |rule: &PermissionRule| {
            let parsed = read(rule).ok()?.0;
            Some(Compiled::new(rule.clone(), parsed, anchors))
        };
        let mut tightenings = Vec::new();
        let mut unreadable = None;
        for rule in &q.overlay.tightenings {
            match rule.behavior {
                RuleBehavior::Allow => {}
                RuleBehavior::Ask | RuleBehavior::Deny => match compile(rule) {
                    Some(compiled) => tightenings.push(compiled),
                    None => unreadable = Some(rule.clone()),
                },
            }
        }
        let grants = q.overlay.grants.iter().filter_map(|grant| {
            let allows = grant.rule.behavior == RuleBehavior::Allow;
            Some((grant.id, compile(&grant.rule).filter(|_| allows)?))
        });
        Self {
            tightenings,
            grants: grants.collect(),
            unreadable,
        }
    }
}

/// One effect and all that is known of it.
#[derive(Debug)]
pub(crate) struct Fact<'a> {
    /// The effect.
    pub(crate) effect: &'a Effect,
    /// The rules that match it.
    pub(crate) hits: Hits<'a>,
    /// A grant that covers it.
    pub(crate) grant: Option<(GrantId, &'a Compiled)>,
    /// Of a path: whether all it can be lies in the agent's directories.
    pub(crate) inside: bool,
    /// Of a change, and of a run of pointsman itself: the protected place that it reaches.
    pub(crate) protected: Option<AbsPath>,
    /// Of a removal: whether nobody wants it.
    pub(crate) critical: bool,
}

impl<'a> Fact<'a> {
    fn new(effect: &'a Effect) -> Self {
        Self {
            effect,
            hits: Hits::default(),
            grant: None,
            inside: false,
            protected: None,
            critical: false,
        }
    }

    fn is_allowed(&self) -> bool {
        self.hits.allow.is_some() || self.grant.is_some()
    }
}

/// The tool whose denies hold for edits too.
static READ: LazyLock<Option<ToolName>> = LazyLock::new(|| ToolName::parse("Read").ok());

/// Whether a line may hold an operator.
fn has_operator(line: &str) -> bool {
    line.contains(SIGNS) || line.contains('\n')
}

/// A call, looked up.
pub(crate) struct Facts<'a> {
    /// The question.
    pub(crate) q: &'a Question<'a>,
    overlay: &'a OverlayRules,
    /// The rules for the tool as such.
    pub(crate) tool: Hits<'a>,
    /// A grant for the tool as such.
    pub(crate) tool_grant: Option<(GrantId, &'a Compiled)>,
    /// The rules that match the whole line of a shell command.
    pub(crate) line: Hits<'a>,
    /// Its effects. Most calls have one or two.
    pub(crate) effects: SmallVec<[Fact<'a>; 2]>,
    /// A deny or ask that can't be read.
    pub(crate) unreadable: Option<&'a PermissionRule>,
    /// Whether the call will run in the sandbox, and needs no question then.
    pub(crate) sandboxed: bool,
    /// Whether the model asks to run outside of the sandbox.
    pub(crate) leaves_sandbox: bool,
}

impl<'a> Facts<'a> {
    pub(crate) fn of(q: &'a Question<'a>, overlay: &'a OverlayRules) -> Self {
        let fields = Fields::of(q);
        let param = |field: &str, value: &Wild| fields.matches(field, value);
        let rules_for = |name: &ToolName| {
            let mut hits = q.frozen.index.tool(name, &param);
            for compiled in &overlay.tightenings {
                if let Some(strength) = tool_strength(compiled, name, &param) {
                    hits.add(Hit { compiled, strength });
                }
            }
            hits
        };
        let mut tool = rules_for(q.tool);
        if matches!(q.tool.as_str(), "Edit" | "Write" | "MultiEdit")
            && let Some(read) = &*READ
        {
            // What may not be read may not be changed either: an edit shows what it changes.
            if let Some(deny) = rules_for(read).deny {
                tool.add(deny);
            }
        }
        let tool_grant = overlay
            .grants
            .iter()
            .find(|(_, it)| tool_strength(it, q.tool, &param).is_some());
        let leaves_sandbox = fields.is_true(LEAVES_SANDBOX);
        let parts = q.frozen.context.parts();
        let look = Look {
            q,
            overlay,
            directories: OnceCell::new(),
            linked: OnceCell::new(),
        };
        let line = match &q.effects.line {
            // An operator may stand in a line of one effect, too (`make 2>&1`, `make &`).
            Some(line) if q.effects.list.len() > 1 || has_operator(line) => {
                look.hits(&Subject::Command(&CommandSubject::line(line)))
            }
            Some(_) | None => Hits::default(),
        };
        Self {
            q,
            overlay,
            tool,
            tool_grant: tool_grant.map(|(id, it)| (*id, it)),
            line,
            effects: q
                .effects
                .list
                .iter()
                .map(|effect| look.up(effect))
                .collect(),
            unreadable: q.frozen.index.unreadable().or(overlay.unreadable.as_ref()),
            sandboxed: q.tool.as_str() == "Bash"
                && parts.sandbox == SandboxState::AutoAllow
                && !leaves_sandbox,
            leaves_sandbox,
        }
    }

    /// The allow rule or grant that matches a subject.
    pub(crate) fn allowed(&self, subject: &Subject<'_>) -> Option<CoverOf<'a>> {
        let hits = self.q.frozen.index.hits(subject, self.q.tree);
        if let Some(hit) = hits.allow {
            return Some(CoverOf::Rule(&hit.compiled.rule));
        }
        let matches = |it: &Compiled| it.strength(subject, self.q.tree) == Some(Strength::Sure);
        let grant = self.overlay.grants.iter().find(|(_, it)| matches(it));
        grant.map(|(grant, _)| CoverOf::Grant(*grant))
    }

    /// What an allow has to cover.
    pub(crate) fn sure(&self) -> impl Iterator<Item = &Fact<'a>> {
        self.effects
            .iter()
            .filter(|fact| fact.effect.view.is_to_be_covered())
    }
}

/// Looks effects up.
struct Look<'a> {
    q: &'a Question<'a>,
    overlay: &'a OverlayRules,
    /// Looked up for calls that use paths alone.
    directories: OnceCell<Directories>,
    /// Where the folders that removals are measured by lie; looked up for removals alone.
    linked: OnceCell<Vec<AbsPath>>,
}

impl<'a> Look<'a> {
    fn up(&self, effect: &'a Effect) -> Fact<'a> {
        let mut fact = Fact::new(effect);
        match &effect.kind {
            EffectKind::Run(run) => {
                let home = &self.q.frozen.context.parts().home;
                fact.protected = changed_through_ourselves(effect, home, self.q.tree);
                self.rules(
                    &mut fact,
                    &Subject::Command(&CommandSubject::of(run)),
                    AllHits,
                );
            }
            EffectKind::Read(used) => {
                let path = PathSubject::of(used, self.q.tree);
                fact.inside = self.directories().hold_all(&path, self.q.tree);
                self.rules(&mut fact, &Subject::Path(PathAccess::Read, &path), AllHits);
                // Who may change a file may look at it.
                self.rules(
                    &mut fact,
                    &Subject::Path(PathAccess::Edit, &path),
                    AllowsAlone,
                );
                self.ends(&mut fact, &path, &[PathAccess::Read, PathAccess::Edit]);
            }
            EffectKind::Write { target, change } => self.write(&mut fact, target, *change),
            EffectKind::Connect(host) => {
                if self.q.tool.as_str() != "WebSearch" {
                    self.rules(&mut fact, &Subject::Host(host.host.as_ref()), AllHits);
                }
            }
            EffectKind::Spawn(spawn) => {
                self.rules(&mut fact, &Subject::Agent(&spawn.agent), AllHits);
            }
            EffectKind::Opaque(opaque) => self.opaque(&mut fact, opaque),
        }
        fact
    }

    fn write(&self, fact: &mut Fact<'a>, target: &PathUse, change: Change) {
        let mut path = PathSubject::of(target, self.q.tree);
        fact.inside = self.directories().hold_all(&path, self.q.tree);
        let removes = match change {
            Change::Remove => Removes::Yes,
            Change::Content | Change::Attributes => Removes::No,
        };
        let by_itself = match &target.path {
            PathValue::Unknown(source) => protected_by_spelling(source, self.q.folder),
            PathValue::Known(_) | PathValue::Pattern { .. } => {
                protected(&path, removes, self.q.tree)
            }
        };
        fact.protected = by_itself.or_else(|| {
            let landing = Landing::of(fact.effect, &self.q.effects.list);
            landing?.protected(self.q.tree)
        });
        fact.critical = removes == Removes::Yes
            && is_critical(target, &path, self.precious(), self.directories());
        if removes == Removes::Yes {
            // What lies in a folder goes with it.
            path.reach = Reach::ContentBelow;
        }
        let subject = Subject::Path(PathAccess::Edit, &path);
        self.rules(fact, &subject, AllHits);
        self.ends(fact, &path, &[PathAccess::Edit]);
        // What may not be read may not be changed either: the change could show it. Of files that
        // nobody names, put there or changed by a tool that shows none, only changes are judged.
        let unnamed = target.reach == Reach::ContentBelow;
        if self.q.tool.as_str() != "NotebookEdit" && !unnamed {
            self.rules(
                fact,
                &Subject::Path(PathAccess::Read, &path),
                TighteningsAlone,
            );
        }
    }

    /// What a link names and where it leads may be covered by two rules, or the one by lying inside the directories.
    fn ends(&self, fact: &mut Fact<'a>, path: &PathSubject, accesses: &[PathAccess]) {
        let needs_no_rule = matches!(fact.effect.kind, EffectKind::Read(_))
            || lets_edits_pass(self.q.mode().mode());
        if fact.is_allowed() || needs_no_rule && fact.inside {
            return;
        }
        let Some([named, lies]) = path.ends() else {
            return;
        };
        let allowed = |end: &PathSubject| {
            let mut found = Fact::new(fact.effect);
            for access in accesses {
                self.rules(&mut found, &Subject::Path(*access, end), AllowsAlone);
            }
            Some(found).filter(Fact::is_allowed)
        };
        let inside = || needs_no_rule && self.directories().hold_all(&named, self.q.tree);
        let covered = inside() || allowed(&named).is_some();
        if let Some(found) = covered.then(|| allowed(&lies)).flatten() {
            fact.hits.allow = found.hits.allow;
            fact.grant = found.grant;
        }
    }

    fn opaque(&self, fact: &mut Fact<'a>, opaque: &Opaque) {
        match opaque.why {
            OpaqueWhy::UnknownTool => {
                if matches!(self.q.tool.as_str(), "Skill" | "SlashCommand") {
                    self.rules(fact, &Subject::Skill(opaque.text.clone()), AllHits);
                }
            }
            // What runs elsewhere is listed beside it, or is unknown in a way of its own.
            OpaqueWhy::Remote => {}
            OpaqueWhy::Syntax
            | OpaqueWhy::TooLong
            | OpaqueWhy::TooDeep
            | OpaqueWhy::TooMany
            | OpaqueWhy::Disagreement
            | OpaqueWhy::UnknownConstruct
            | OpaqueWhy::HiddenCharacter
            | OpaqueWhy::UnknownProgram
            | OpaqueWhy::UnknownScript
            | OpaqueWhy::Environment => {
                self.rules(fact, &Subject::Anything, TighteningsAlone);
            }
        }
    }

    fn directories(&self) -> &Directories {
        let parts = self.q.frozen.context.parts();
        self.directories
            .get_or_init(|| Directories::of(&parts.directories, self.q.tree))
    }

    fn precious(&self) -> Precious<'_> {
        let parts = self.q.frozen.context.parts();
        Precious {
            home: &parts.home,
            project: &parts.project,
            started_in: &parts.folder,
            folder: self.q.folder,
            linked: self.linked(),
        }
    }

    fn linked(&self) -> &[AbsPath] {
        let parts = self.q.frozen.context.parts();
        self.linked.get_or_init(|| {
            [&parts.home, &parts.project, &parts.folder, self.q.folder]
                .into_iter()
                .flat_map(|folder| self.q.tree.hops(folder).into_iter().skip(1))
                .collect()
        })
    }

    fn hits(&self, subject: &Subject<'_>) -> Hits<'a> {
        let mut hits = self.q.frozen.index.hits(subject, self.q.tree);
        for compiled in &self.overlay.tightenings {
            if let Some(strength) = compiled.strength(subject, self.q.tree) {
                hits.add(Hit { compiled, strength });
            }
        }
        hits
    }

    fn rules(&self, fact: &mut Fact<'a>, subject: &Subject<'_>, which: Which) {
        let mut hits = self.hits(subject);
        if fact.effect.view.is_in_doubt() {
            hits.doubt();
        }
        let grant = self
            .overlay
            .grants
            .iter()
            .find(|(_, it)| it.strength(subject, self.q.tree) == Some(Strength::Sure));
        match which {
            AllHits => {}
            AllowsAlone => {
                hits.deny = None;
                hits.ask = None;
            }
            TighteningsAlone => hits.allow = None,
        }
        fact.hits.merge(hits);
        if which != TighteningsAlone && fact.grant.is_none() {
            fact.grant = grant.map(|(id, it)| (*id, it));
        }
    }
}

/// Which rules a subject is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    AllHits,
    AllowsAlone,
    TighteningsAlone,
}
use Which::{AllHits, AllowsAlone, TighteningsAlone};

/// The scalar fields of a call's input, as the model sent them. Read when a rule asks for one.
struct Fields<'a> {
    input: &'a str,
    read: OnceCell<serde_json::Map<String, serde_json::Value>>,
}

impl<'a> Fields<'a> {
    fn of(q: &'a Question<'_>) -> Self {
        Self {
            input: q.input.as_str(),
            read: OnceCell::new(),
        }
    }

    fn text(&self, field: &str) -> Option<String> {
        let fields = self
            .read
            .get_or_init(|| serde_json::from_str(self.input).unwrap_or_default());
        match fields.get(field)? {
            serde_json::Value::String(text) => Some(text.clone()),
            serde_json::Value::Bool(value) => Some(value.to_string()),
            serde_json::Value::Number(value) => Some(value.to_string()),
            serde_json::Value::Null
            | serde_json::Value::Array(_)
            | serde_json::Value::Object(_) => None,
        }
    }

    fn matches(&self, field: &str, value: &Wild) -> bool {
        self.text(field).is_some_and(|text| {
            let bytes: SmallVec<[u8; 64]> = crate::wild::plain_bytes(&text).collect();
            value.matches(&bytes)
        })
    }

    fn is_true(&self, field: &str) -> bool {
        // Escapes in a name are rare enough to be read the long way.
        let named = self.input.contains(field) || self.input.contains("\\u");
        named && self.text(field).is_some_and(|text| text == "true")
    }
}
