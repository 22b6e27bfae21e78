//! The queue: open requests in the order in which they came, equal ones folded into a group.
//!
//! A group keeps its place from its first request to its last. One that a person is at stays, ended,
//! until they leave it, so that nothing else comes under their cursor.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use pointsman_approvals::{Advice, OpenRequest};
use pointsman_model::{
    Digest, DigestBuilder, Explanation, Lineage, PermissionRequest, RequestId, VerdictKind,
    WallTime, WorkerId,
};

use super::before::Before;
use crate::render::{call_line, is_grave};
use crate::shown;

/// A group's place in the queue; never changes. Places are in the order in which the first requests of the groups were
/// opened, whenever they came here, but for those that would come in before what the person is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    opened_at: WallTime,
    first: RequestId,
    /// Tells groups apart that have the same of both.
    count: u64,
}

/// Which list of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// Those that wait for the person.
    Waiting,
    /// Those that the classifier refused in their place.
    Refused,
}

/// Whether a yes to it should take more than one deliberate act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Usual,
    Grave,
}

/// Equal requests: the same call in the same folder for the same reason.
#[derive(Debug)]
pub(super) struct Group {
    /// The open ones, oldest first; none when all have ended.
    pub(super) open: Vec<Arc<OpenRequest>>,
    /// The one it was made for; what is shown of it after it has ended.
    pub(super) first: Arc<PermissionRequest>,
    /// The call on one line.
    pub(super) what: String,
    /// How the last one ended, when all have.
    pub(super) ended: Option<String>,
    pub(super) weight: Weight,
    /// What lies where it would write, once that was looked at.
    pub(super) before: Option<Before>,
    /// Another one after whatever was said of it.
    pub(super) version: u64,
    key: Digest,
    /// The call as a filter looks in it, in lower case.
    words: String,
    /// What a filter finds each of `open` by, at the same place; that of the last one when all have ended.
    who: Vec<String>,
}

impl Group {
    fn new(open: Arc<OpenRequest>, key: Digest) -> Self {
        let first = Arc::clone(&open.request);
        let what = call_line(&first.call);
        let weight = if is_grave(&first) {
            Weight::Grave
        } else {
            Weight::Usual
        };
        let mut group = Self {
            words: what.to_lowercase(),
            who: Vec::new(),
            open: Vec::new(),
            first,
            what,
            ended: None,
            weight,
            before: None,
            version: 0,
            key,
        };
        group.add(open);
        group
    }

    fn add(&mut self, open: Arc<OpenRequest>) {
        self.who.push(who_asks(&open));
        self.open.push(open);
        self.says_more();
    }

    fn remove(&mut self, id: RequestId) {
        self.says_more();
        let Some(at) = self.open.iter().position(|open| open.request.id == id) else {
            return;
        };
        self.open.remove(at);
        // One that has ended stays under the filter that found it.
        if !self.open.is_empty() {
            self.who.remove(at);
        }
    }

    fn says_more(&mut self) {
        self.version = self.version.saturating_add(1);
    }

    /// Who asks, of the oldest that is open.
    pub(super) fn lineage(&self) -> &Lineage {
        self.open
            .first()
            .map_or(&self.first.lineage, |open| &open.request.lineage)
    }

    /// Whether a filter, in lower case, lets it pass.
    pub(super) fn matches(&self, filter: &str) -> bool {
        self.words.contains(filter) || self.who.iter().any(|who| who.contains(filter))
    }
}

/// What a filter finds one request of a group by.
fn who_asks(open: &OpenRequest) -> String {
    let request = &open.request;
    let who = shown::line(&request.lineage.to_string());
    format!(" {} {who}", request.id).to_lowercase()
}

/// See the module's words.
#[derive(Debug, Default)]
pub(super) struct Queue {
    groups: BTreeMap<Place, Group>,
    next: u64,
    by_key: HashMap<Digest, Place>,
    by_id: HashMap<RequestId, Place>,
    sending: HashMap<RequestId, Sent>,
    waiting: HashMap<WorkerId, usize>,
}

/// What became of a request that was to be closed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// It is out; its group has others.
    GroupLives(Place),
    /// It was the last of its group.
    GroupEnded(Place),
    /// It was not here.
    Unknown,
}

impl Queue {
    /// Takes a request in. False when it was in already.
    pub(super) fn add(&mut self, open: Arc<OpenRequest>) -> Added {
        self.add_behind(open, None)
    }

    /// The same; one that comes late has its place behind `held`, so that what is under a cursor stays where it is on the
    /// screen.
    pub(super) fn add_behind(&mut self, open: Arc<OpenRequest>, held: Option<Place>) -> Added {
        let id = open.request.id;
        if self.by_id.contains_key(&id) {
            return Added::KnownBefore;
        }
        let key = key_of(&open.request);
        let worker = open.request.lineage.agent().worker;
        let count = self.waiting.entry(worker).or_default();
        *count = count.saturating_add(1);
        let place = match self.by_key.get(&key) {
            Some(place) => *place,
            None => {
                let own = Place {
                    opened_at: open.request.opened_at,
                    first: id,
                    count: self.next,
                };
                let place = match held {
                    Some(held) if own < held => Place {
                        count: self.next,
                        ..held
                    },
                    Some(_) | None => own,
                };
                self.next = self.next.saturating_add(1);
                self.by_key.insert(key, place);
                place
            }
        };
        self.by_id.insert(id, place);
        match self.groups.get_mut(&place) {
            Some(group) => group.add(open),
            None => {
                self.groups.insert(place, Group::new(open, key));
            }
        }
        Added::New
    }

    /// Takes a request out; `words` say how it ended.
    pub(super) fn close(&mut self, id: RequestId, words: String) -> Closed {
        self.sending.remove(&id);
        let Some(place) = self.by_id.remove(&id) else {
            return Closed::Unknown;
        };
        let Some(group) = self.groups.get_mut(&place) else {
            return Closed::Unknown;
        };
        let before = group.open.len();
        let worker = group
            .open
            .iter()
            .find(|open| open.request.id == id)
            .map(|open| open.request.lineage.agent().worker);
        group.remove(id);
        if let Some(count) = worker.and_then(|worker| self.waiting.get_mut(&worker)) {
            *count = count.saturating_sub(before.saturating_sub(group.open.len()));
        }
        self.waiting.retain(|_, count| *count > 0);
        if !group.open.is_empty() {
            return Closed::GroupLives(place);
        }
        group.ended = Some(words);
        // A later equal request is another question: it gets a place of its own.
        self.by_key.remove(&group.key);
        Closed::GroupEnded(place)
    }

    /// Forgets groups that have ended, but those at `held`.
    pub(super) fn sweep(&mut self, held: &[Place]) {
        self.groups
            .retain(|place, group| group.ended.is_none() || held.contains(place));
    }

    /// Notes a checker's word.
    pub(super) fn advise(&mut self, id: RequestId, advice: Advice) {
        let Some(group) = self.by_id.get(&id).and_then(|at| self.groups.get_mut(at)) else {
            return;
        };
        for open in group.open.iter_mut().filter(|open| open.request.id == id) {
            Arc::make_mut(open).advice.push(advice.clone());
        }
        group.says_more();
    }

    /// Notes what a model says of a request.
    pub(super) fn explain(&mut self, id: RequestId, explanation: Arc<Explanation>) {
        let Some(group) = self.by_id.get(&id).and_then(|at| self.groups.get_mut(at)) else {
            return;
        };
        for open in group.open.iter_mut().filter(|open| open.request.id == id) {
            Arc::make_mut(open).explanation = Some(Arc::clone(&explanation));
        }
        group.says_more();
    }

    /// The ids of all that are open.
    pub(super) fn ids(&self) -> Vec<RequestId> {
        self.by_id.keys().copied().collect()
    }

    /// How many requests are open.
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// How many questions of this agent are open.
    pub(super) fn waiting_of(&self, worker: WorkerId) -> usize {
        self.waiting.get(&worker).copied().unwrap_or(0)
    }

    /// One group.
    pub(super) fn get(&self, place: Place) -> Option<&Group> {
        self.groups.get(&place)
    }

    /// What lies where the requests of a group would write.
    pub(super) fn set_before(&mut self, place: Place, before: Before) {
        if let Some(group) = self.groups.get_mut(&place) {
            group.before = Some(before);
            group.says_more();
        }
    }

    /// Where a request stands.
    pub(super) fn place_of(&self, id: RequestId) -> Option<Place> {
        self.by_id.get(&id).copied()
    }

    /// All groups in order, those that the filter lets pass.
    pub(super) fn rows<'a>(
        &'a self,
        filter: &'a str,
    ) -> impl Iterator<Item = (Place, &'a Group)> + 'a {
        self.groups
            .iter()
            .filter(move |(_, group)| filter.is_empty() || group.matches(filter))
            .map(|(place, group)| (*place, group))
    }

    /// The open requests of an agent and of all below it, oldest group first.
    pub(super) fn below(&self, worker: WorkerId) -> Vec<Arc<OpenRequest>> {
        self.groups
            .values()
            .flat_map(|group| &group.open)
            .filter(|open| open.request.lineage.includes(worker))
            .map(Arc::clone)
            .collect()
    }

    /// The request, if it is open and no answer of ours is on its way.
    pub(super) fn answerable(&self, id: RequestId) -> bool {
        self.by_id.contains_key(&id) && !self.sending.contains_key(&id)
    }

    /// Whether an answer of ours is on its way.
    pub(super) fn is_sending(&self, id: RequestId) -> bool {
        self.sending.contains_key(&id)
    }

    /// Whether what is on its way of ours says the same as this verdict.
    pub(super) fn has_sent(&self, id: RequestId, verdict: &VerdictKind) -> bool {
        match (self.sending.get(&id), verdict) {
            (Some(Sent::Yes), VerdictKind::Allow { .. }) => true,
            (Some(Sent::No(ours)), VerdictKind::Deny { text }) => ours == text,
            (
                Some(Sent::Yes | Sent::No(_) | Sent::Lift) | None,
                VerdictKind::Allow { .. }
                | VerdictKind::Deny { .. }
                | VerdictKind::Ended { .. }
                | VerdictKind::Unjudged { .. },
            ) => false,
        }
    }

    /// An answer of ours is on its way.
    pub(super) fn sent(&mut self, id: RequestId, what: Sent) {
        self.sending.insert(id, what);
    }

    /// Our answer did not get in.
    pub(super) fn unsent(&mut self, id: RequestId) {
        self.sending.remove(&id);
    }
}

/// What was sent of ours and has not come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sent {
    Yes,
    /// With the words for the agent.
    No(Option<Box<str>>),
    /// The classifier's no is to be lifted.
    Lift,
}

impl Sent {
    /// Of an answer.
    pub(super) fn of(kind: &VerdictKind) -> Self {
        match kind {
            VerdictKind::Deny { text } => Self::No(text.clone()),
            // A screen ends a request in no other way.
            VerdictKind::Allow { .. }
            | VerdictKind::Ended { .. }
            | VerdictKind::Unjudged { .. } => Self::Yes,
        }
    }
}

/// Whether a request was new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    New,
    KnownBefore,
}

/// What makes two requests equal to a person: everything of the sheet but who asks.
fn key_of(request: &PermissionRequest) -> Digest {
    let text = |value: &dyn std::fmt::Debug| format!("{value:?}");
    DigestBuilder::new("equal requests")
        .part("tool", request.call.tool.as_str().as_bytes())
        .part("input", request.call.text.as_str().as_bytes())
        .part("origin", text(&request.origin).as_bytes())
        .part("folder", request.folder.as_str().as_bytes())
        .part("mode", request.mode.as_str().as_bytes())
        .part("from", text(&request.rewritten_from).as_bytes())
        .part("earlier", text(&request.supersedes).as_bytes())
        .part("unheld", text(&request.unheld).as_bytes())
        .part("effects", text(&request.effects).as_bytes())
        .part("judgement", text(&request.judgement).as_bytes())
        .part("proposals", text(&request.proposals).as_bytes())
        .finish()
}
