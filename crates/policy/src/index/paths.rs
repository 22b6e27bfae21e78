//! How rules on paths match: each pattern at the folders it hangs on.

use pointsman_model::{AbsPath, PermissionRule, Reach, RuleBehavior, RuleSource};

use super::compiled::{Anchors, Strength};
use super::links::covers_another_name;
use super::meet::meets;
use crate::rule::{Names, PathAnchor, PathDepth, PathPattern, covers, glob_with_gaps};
use crate::subject::{KnownPath, PathKind, PathSubject, any_below, matches_name};
use crate::wild::{GAP, can_meet, plain_bytes};
use crate::{EntryKind, Kept, Tree};

/// A path pattern at one absolute folder.
#[derive(Debug, Clone)]
pub(crate) struct AnchoredPath {
    /// The folder; in lower case for deny and ask rules.
    pub(crate) folder: AbsPath,
    /// The pattern below it; in lower case for deny and ask rules.
    pub(crate) glob: Box<str>,
    /// The folder as it is written.
    pub(crate) written: AbsPath,
    /// The pattern as it is written.
    pub(crate) spelled: Box<str>,
    /// Whether this is what the rule says, or only what its writer may have meant.
    pub(crate) meant: Strength,
    /// Of an allow: the folder of the user's own that `folder` is or lies in. The links on the way to it are followed.
    pub(crate) leads_to: Option<AbsPath>,
}

/// The folders a pattern hangs on, by the rule's behavior and source.
pub(super) fn anchored(
    rule: &PermissionRule,
    pattern: &PathPattern,
    anchors: &Anchors,
) -> Vec<AnchoredPath> {
    let tightens = rule.behavior != RuleBehavior::Allow;
    if !tightens && pattern.up > 0 {
        return Vec::new();
    }
    let own_files = matches!(
        rule.source,
        RuleSource::UserSettings | RuleSource::PolicySettings
    );
    let mut folders: Vec<(AbsPath, Strength)> = match pattern.anchor {
        PathAnchor::Root => vec![(AbsPath::root(), Strength::Sure)],
        PathAnchor::Home => vec![(anchors.home.clone(), Strength::Sure)],
        PathAnchor::Source if tightens => vec![
            (rule.anchor.clone(), Strength::Sure),
            // `/etc/passwd` may be meant from the root.
            (AbsPath::root(), Strength::May),
        ],
        PathAnchor::Source => vec![(rule.anchor.clone(), Strength::Sure)],
        PathAnchor::Folder => vec![(anchors.folder.clone(), Strength::Sure)],
    };
    if tightens && pattern.anchor == PathAnchor::Folder {
        folders.push((anchors.project.clone(), Strength::Sure));
        if !own_files {
            folders.push((rule.anchor.clone(), Strength::Sure));
        }
    }
    let mut out: Vec<AnchoredPath> = Vec::new();
    for (mut folder, meant) in folders {
        for _ in 0..pattern.up {
            folder = folder.parent().unwrap_or_else(AbsPath::root);
        }
        let glob = match pattern.depth {
            PathDepth::Any => format!("**/{}", pattern.glob),
            PathDepth::AnyInDenies if tightens => format!("**/{}", pattern.glob),
            PathDepth::Anchored | PathDepth::AnyInDenies => pattern.glob.to_string(),
        };
        let leads_to = (!tightens)
            .then(|| own_folder(rule, pattern.anchor, &folder, anchors))
            .flatten();
        let (written, spelled) = (folder.clone(), glob.as_str().into());
        let (folder, glob) = if tightens {
            (crate::subject::lower(&folder), glob.to_lowercase())
        } else {
            (folder, glob)
        };
        if !out.iter().any(|it| it.folder == folder) {
            out.push(AnchoredPath {
                folder,
                glob: glob.into(),
                written,
                spelled,
                meant,
                leads_to,
            });
        }
    }
    out
}

/// The folder above, or itself, that a person chose: what an agent's own folder lies in, not where it may lead.
fn own_folder(
    rule: &PermissionRule,
    anchor: PathAnchor,
    folder: &AbsPath,
    anchors: &Anchors,
) -> Option<AbsPath> {
    let above = |it: &&AbsPath| folder.is_within(it);
    match anchor {
        PathAnchor::Root => None,
        PathAnchor::Home | PathAnchor::Source => Some(folder.clone()),
        PathAnchor::Folder => [&anchors.project, &rule.anchor, &anchors.home]
            .into_iter()
            .filter(above)
            .max_by_key(|it| it.as_str().len())
            .cloned(),
    }
}

/// How a deny or ask matches.
pub(super) fn tightens_path(
    at: &AnchoredPath,
    pattern: &PathPattern,
    subject: &PathSubject,
    tree: &dyn Tree,
) -> Option<Strength> {
    let strength = match &subject.kind {
        PathKind::Unknown => Some(Strength::May),
        PathKind::Known(path) => tightens_known(at, path, subject, tree),
        PathKind::Pattern {
            base,
            names: Some(names),
            ..
        } => {
            // Files of such names that are there below it: which these are can be looked up.
            let found = named_below(at, base, names, subject.reach, tree);
            // Files of any name may come to be there; a folder's name is not looked for at every depth
            // then, that is for folders which are there.
            let unnamed = **names == *"*" && subject.reach == Reach::ContentBelow;
            let may = || {
                let near = at.near(pattern).gaps();
                let comes = unnamed && base.lower.iter().any(|base| can_meet(&near, &below(base)));
                comes.then_some(Strength::May)
            };
            found.or_else(may)
        }
        PathKind::Pattern {
            base,
            now,
            complete,
            gaps,
            segments,
            names: None,
        } => {
            let surely = now
                .iter()
                .any(|path| path.lower.iter().any(|hop| at.covers(hop)))
                || base.lower.iter().any(|hop| at.covers(&hop.join("\u{2}")));
            if surely {
                Some(Strength::Sure)
            } else if *complete && segments.is_some() && !now.is_empty() {
                // All names that the shell will put there are known, so the pattern itself says nothing more.
                now.iter()
                    .filter_map(|path| tightens_known(at, path, subject, tree))
                    .max()
            } else {
                let meets = match segments {
                    Some(segments) => base
                        .lower
                        .iter()
                        .any(|folder| meets(at, folder, segments, subject.reach)),
                    None => can_meet(&at.gaps(), gaps),
                };
                meets.then_some(Strength::May)
            }
        }
    }?;
    if at.meant == Strength::May && !base_exists(pattern, tree) {
        return None;
    }
    Some(strength.min(at.meant))
}

/// How a rule matches files with names of a pattern at any depth below a folder.
fn named_below(
    at: &AnchoredPath,
    base: &KnownPath,
    names: &str,
    reach: Reach,
    tree: &dyn Tree,
) -> Option<Strength> {
    let whole = |hop: &AbsPath| at.covers(hop) || at.covers(&hop.join("\u{2}"));
    if base.lower.iter().any(whole) {
        return Some(Strength::Sure);
    }
    let names = names.to_lowercase();
    let may = base.hops.iter().any(|hop| {
        any_below(hop, tree, &mut |file| {
            let below = file.below(hop).unwrap_or_default().to_lowercase();
            let mut parts = below.split('/').rev();
            let named = match reach {
                Reach::Itself => parts.next().is_some_and(|it| matches_name(&names, it)),
                // A folder of such a name, with what lies in it.
                Reach::NamesBelow | Reach::ContentBelow | Reach::TrackedBelow | Reach::Tracked => {
                    parts.any(|it| matches_name(&names, it))
                }
            };
            // A search that leaves hidden files out looks into no hidden folder either.
            let hidden = names == "[!.]*" && below.split('/').any(|it| it.starts_with('.'));
            named && !hidden && at.covers(&crate::subject::lower(file))
        })
    });
    // A rule that speaks of such names may mean one that is not there yet.
    let last = at.glob.rsplit('/').next().unwrap_or(&at.glob);
    // A hidden one is taken for meant only where its dot is.
    let hidden = last.starts_with('.') && names.starts_with(['*', '?', '[']);
    let any = matches!(&*names, "*" | "[!.]*");
    let speaks = !matches!(last, "*" | "**") && !any && !hidden;
    let may = may || speaks && can_meet(&glob_with_gaps(last), &glob_with_gaps(&names));
    may.then_some(Strength::May)
}

fn tightens_known(
    at: &AnchoredPath,
    path: &KnownPath,
    subject: &PathSubject,
    tree: &dyn Tree,
) -> Option<Strength> {
    let by_another_name = || {
        let file = path.file.as_ref();
        file.is_some_and(|file| covers_another_name(at, file, tree))
    };
    if path.lower.iter().any(|hop| at.covers(hop)) || by_another_name() {
        return Some(Strength::Sure);
    }
    let looks_below = match subject.reach {
        // Looking at a folder shows the names in it.
        Reach::Itself => path.is_folder(tree),
        Reach::NamesBelow | Reach::ContentBelow => true,
        Reach::TrackedBelow | Reach::Tracked => return tracked(at, path, subject.reach, tree),
    };
    if !looks_below {
        return None;
    }
    // A name that no pattern but `**` or `*` knows: everything below is covered.
    if path.lower.iter().any(|hop| at.covers(&hop.join("\u{2}"))) {
        return Some(Strength::Sure);
    }
    if subject.reach != Reach::ContentBelow {
        return None;
    }
    let may = path.hops.iter().zip(&path.lower).any(|(hop, lower)| {
        can_meet(&at.gaps(), &below(lower))
            && any_below(hop, tree, &mut |file| {
                at.covers(&crate::subject::lower(file))
            })
    });
    may.then_some(Strength::May)
}

/// How a rule matches what a repository keeps.
fn tracked(at: &AnchoredPath, path: &KnownPath, reach: Reach, tree: &dyn Tree) -> Option<Strength> {
    let may = path.hops.iter().any(|hop| match tree.kept_by_git(hop) {
        Kept::NoRepository => false,
        Kept::Unsaid if reach == Reach::Tracked => false,
        Kept::Files(files) => files.iter().any(|file| {
            (reach == Reach::Tracked || file.is_within(hop))
                && at.covers(&crate::subject::lower(file))
        }),
        Kept::Untold | Kept::Unsaid => any_below(hop, tree, &mut |file| {
            at.covers(&crate::subject::lower(file))
        }),
    });
    may.then_some(Strength::May)
}

/// Whether an allow, at one of its folders, covers all that the subject can be.
pub(super) fn allows_path<'p>(
    at: impl Iterator<Item = &'p AnchoredPath> + Clone,
    pattern: &PathPattern,
    subject: &PathSubject,
    tree: &dyn Tree,
) -> bool {
    let covers_one = |path: &AbsPath| -> bool {
        let whole = |path: &AbsPath, at: &AnchoredPath| match subject.reach {
            Reach::Itself => at.covers_with(path, pattern.names),
            // All below has to be covered.
            Reach::NamesBelow | Reach::ContentBelow | Reach::TrackedBelow | Reach::Tracked => {
                at.covers_with(&path.join("\u{2}"), pattern.names)
            }
        };
        let folds = || tree.folds_case(path).then(|| crate::subject::lower(path));
        at.clone().any(|at| whole(path, at))
            || folds().is_some_and(|lower| at.clone().any(|at| whole(&lower, &at.lower())))
    };
    let covers_known = |path: &KnownPath| {
        let ends = [path.hops.first(), path.hops.last()];
        ends.into_iter().flatten().all(covers_one)
    };
    let covers_below = |hop: &AbsPath| at.clone().any(|at| at.covers(&hop.join("\u{2}")));
    match &subject.kind {
        PathKind::Unknown => false,
        PathKind::Known(path) => covers_known(path),
        PathKind::Pattern {
            base,
            now,
            complete,
            ..
        } => *complete && now.iter().all(covers_known) && base.hops.iter().all(covers_below),
    }
}

/// Whether the folder that a pattern begins in exists when it is read from the root.
fn base_exists(pattern: &PathPattern, tree: &dyn Tree) -> bool {
    let base = pattern
        .literal_segments()
        .fold(AbsPath::root(), |at, segment| at.join(segment));
    base != AbsPath::root() && tree.kind(&base) != EntryKind::Missing
}

/// All that can lie below a folder, as a text with gaps.
fn below(folder: &AbsPath) -> Vec<u8> {
    // The root ends in its slash already.
    let mut gaps: Vec<u8> = plain_bytes(folder.as_str().trim_end_matches('/')).collect();
    gaps.extend([b'/', GAP]);
    gaps
}

impl AnchoredPath {
    /// The same without the depth that a deny's one name has.
    fn near(&self, pattern: &PathPattern) -> Self {
        let glob = match self.glob.strip_prefix("**/") {
            Some(glob) if pattern.depth == PathDepth::AnyInDenies => glob,
            Some(_) | None => &self.glob,
        };
        Self {
            glob: glob.into(),
            ..self.clone()
        }
    }

    /// Whether the pattern matches the path, or a folder on the way to it.
    pub(crate) fn covers(&self, path: &AbsPath) -> bool {
        self.covers_with(path, Names::Anything)
    }

    fn covers_with(&self, path: &AbsPath, names: Names) -> bool {
        match path.below(&self.folder) {
            None => false,
            Some("") => self.glob.is_empty(),
            Some(rest) => self.glob.is_empty() || covers(&self.glob, rest, names),
        }
    }

    fn lower(&self) -> Self {
        Self {
            folder: crate::subject::lower(&self.folder),
            glob: self.glob.to_lowercase().into(),
            ..self.clone()
        }
    }

    /// At least all that the pattern covers, as a text with gaps.
    fn gaps(&self) -> Vec<u8> {
        let mut gaps: Vec<u8> = plain_bytes(self.folder.as_str()).collect();
        if gaps.last() != Some(&b'/') {
            gaps.push(b'/');
        }
        let glob = self.glob.strip_prefix("**/");
        if glob.is_some() {
            gaps.push(GAP);
        }
        gaps.extend(glob_with_gaps(glob.unwrap_or(&self.glob)));
        // What lies in a folder that matches is covered too.
        gaps.push(GAP);
        gaps
    }
}
