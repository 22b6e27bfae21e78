//! The overview, drawn: the tree of agents, the queue, and what is under the cursor.

use pointsman_ledger::WorkerEnd;
use pointsman_model::{Millis, WallTime, WorkerId};
use pointsman_swarm::JobEnd;
use ratatui::layout::{Position, Rect};

use super::{Attention, Canvas, Hidden, Keys, column, column_right, header, short};
use crate::roster::{Agent, Doing, JobRow, Node, Stop, Twig};
use crate::screen::layout::{self, Frame};
use crate::screen::overview::{Pane, Passes, Typing};
use crate::screen::queue::{Group, Queue, Weight, Which};
use crate::screen::sheet::{Ink, Line, Row, Tone, text_width, wrap};
use crate::screen::state::{Seat, State};
use crate::shown;

/// From here on the time that is left is shown instead of the age.
const SOON: Millis = Millis(30_000);
/// The part of a pane that names may take, so that what goes on has room: two fifths.
const NAMES_PART: (u16, u16) = (2, 5);
/// So much of a name is there however deep in the tree it stands.
const NAME_MIN: u16 = 8;

pub(super) fn draw(
    state: &State,
    now: WallTime,
    frame: Frame,
    canvas: &mut Canvas<'_>,
) -> (Option<Position>, Keys) {
    header(state, canvas, frame);
    let areas = state.overview_areas();
    tree(state, now, areas.tree, canvas);
    queue(state, now, areas.queue, canvas);
    if let Some(area) = areas.preview {
        preview(state, area, canvas);
    }
    match state.overview.typing {
        Typing::Filter => {
            let drawn = filter(state, frame.status, canvas);
            (
                Some(drawn),
                vec![("Enter", "keep the filter"), ("Esc", "show everything")],
            )
        }
        Typing::Nothing => (None, keys(state)),
    }
}

fn keys(state: &State) -> Keys {
    let list = state.list(state.overview.which);
    let mut keys = match state.overview.pane {
        Pane::Waiting if state.overview.queue(list).is_empty() => vec![("Tab", "agents")],
        Pane::Waiting => {
            let on = state.overview.waiting.on;
            let has_ended = |group: &Group| group.ended.is_some();
            let mut keys = vec![("↑↓", "choose")];
            match on.map(|on| list.get(on).is_none_or(has_ended)) {
                Some(false) => keys.push(("Enter", "open the request")),
                // It stands under the cursor until that moves on; there is nothing to open.
                Some(true) => {}
                None => keys.push(("Enter", "open the first request")),
            }
            keys.push(("Tab", "agents"));
            keys
        }
        Pane::Agents => {
            let on = state.overview.agents.on;
            let has_transcript = on.is_some_and(|on| state.roster.worker_at(on).is_some());
            let mut keys = vec![("↑↓", "choose")];
            if has_transcript {
                keys.push(("Enter", "transcript"));
            }
            keys.push(match on {
                Some(Node::Job(_) | Node::Agent(_)) => ("s", "stop…"),
                Some(Node::Leader) | None => ("s", "stop the run…"),
            });
            keys.push(("Tab", "requests"));
            keys
        }
    };
    match state.seat {
        Seat::Leading => {}
        Seat::Attached | Seat::Left => keys.push(("q", "leave the run on")),
    }
    match state.overview.which {
        Which::Refused => keys.push(("c", "what waits")),
        Which::Waiting if state.refused.list.len() > 0 => {
            keys.push(("c", "refused by the classifier"));
        }
        Which::Waiting => {}
    }
    keys.push(("/", "filter"));
    if !state.overview.wanted().is_empty() {
        keys.push(("Esc", "show everything"));
    }
    keys.push(("?", "help"));
    keys.push(match state.seat {
        Seat::Leading => ("Ctrl-C", "stop the run…"),
        Seat::Attached | Seat::Left => ("Ctrl-C", "leave, or stop the run…"),
    });
    keys
}

fn filter(state: &State, area: Rect, canvas: &mut Canvas<'_>) -> Position {
    let row = Row::of(vec![
        Ink::new(Tone::Key, "/"),
        Ink::new(Tone::Plain, shown::line(state.overview.filter.text())),
    ]);
    let mut line = area;
    line.y = line.y.saturating_sub(1);
    canvas.clear(line);
    canvas.row(line, 0, &row);
    Position {
        x: text_width(&row.text()).min(line.width.saturating_sub(1)),
        y: line.y,
    }
}

fn attention(state: &State, pane: Pane) -> Attention {
    if state.overview.pane == pane {
        Attention::Here
    } else {
        Attention::Elsewhere
    }
}

/// What a title says of a filter.
fn filtered(state: &State) -> String {
    let text = state.overview.filter.text().trim();
    if text.is_empty() {
        String::new()
    } else {
        format!(", only with `{}`", shown::line(text))
    }
}

fn tree(state: &State, now: WallTime, area: Rect, canvas: &mut Canvas<'_>) {
    let title = format!("agents{}", filtered(state));
    let branches = state.overview.tree(&state.roster);
    let nodes: Vec<Node> = branches.iter().map(|branch| branch.twig.node).collect();
    let height = layout::Overview::entries(area);
    let top = state.overview.agents.top(&nodes, height);
    let hidden = Hidden::of(nodes.len(), top, height);
    canvas.title(area, &title, attention(state, Pane::Agents), hidden);
    let in_view = branches.iter().skip(top).take(height);
    let words: Vec<TwigWords> = in_view
        .clone()
        .map(|branch| {
            let words = TwigWords::of(state, now, &branch.twig);
            match branch.passes {
                Passes::Itself => words,
                Passes::ForOneBelow => words.dimmed(),
            }
        })
        .collect();
    let (part, of) = NAMES_PART;
    let names = words
        .iter()
        .map(TwigWords::name_end)
        .max()
        .unwrap_or(0)
        .min(area.width.saturating_mul(part) / of);
    for (at, (branch, words)) in in_view.zip(&words).enumerate() {
        let number = at.saturating_add(1);
        canvas.row(area, number, &words.row(names, area.width));
        let here = state.overview.agents.on == Some(branch.twig.node);
        if here && state.overview.pane == Pane::Agents {
            canvas.reverse(area, number);
        }
    }
}

/// A row of the tree in words.
struct TwigWords {
    lead: String,
    tone: Tone,
    name: String,
    name_tone: Tone,
    what: String,
    /// What stands at the right edge.
    right: String,
}

impl TwigWords {
    fn of(state: &State, now: WallTime, twig: &Twig) -> Self {
        let (mark, tone, name, what, age) = match twig.node {
            Node::Leader => {
                let what = format!("leader of {}", state.run);
                ("◆", Tone::Plain, String::new(), what, String::new())
            }
            Node::Job(at) => match state.roster.job(at) {
                None => (
                    " ",
                    Tone::Plain,
                    String::new(),
                    String::new(),
                    String::new(),
                ),
                Some(job) => job_words(state, now, job),
            },
            Node::Agent(worker) => match state.roster.agent(worker) {
                None => (
                    " ",
                    Tone::Plain,
                    String::new(),
                    String::new(),
                    String::new(),
                ),
                Some(agent) => {
                    let name = shown::line(&agent.lineage.agent().label);
                    agent_words(state, now, worker, agent, name)
                }
            },
        };
        let refusals = state
            .roster
            .worker_at(twig.node)
            .and_then(|worker| state.roster.agent(worker))
            .map_or(0, |agent| agent.refusals);
        let refused = match refusals {
            0 => String::new(),
            count => format!("{count} refused "),
        };
        let indent = " ".repeat(usize::from(twig.depth).saturating_mul(2).saturating_add(1));
        Self {
            lead: format!("{indent}{mark} "),
            tone,
            name,
            name_tone: Tone::Plain,
            what,
            right: format!("{refused}{}", column_right(&age, 4)),
        }
    }

    /// The same, beside the point.
    fn dimmed(self) -> Self {
        Self {
            tone: Tone::Quiet,
            name_tone: Tone::Quiet,
            ..self
        }
    }

    /// Where the name ends, when it is not cut.
    fn name_end(&self) -> u16 {
        text_width(&self.lead).saturating_add(text_width(&self.name))
    }

    /// The row, with names up to that column.
    fn row(&self, names: u16, width: u16) -> Row {
        let lead = text_width(&self.lead);
        let name_width = match text_width(&self.name) {
            0 => 0,
            own => names.saturating_sub(lead).max(own.min(NAME_MIN)),
        };
        let room = width
            .saturating_sub(lead)
            .saturating_sub(text_width(&self.right))
            .saturating_sub(1);
        let between = if name_width == 0 { "" } else { "  " };
        let what_width = room
            .saturating_sub(name_width)
            .saturating_sub(text_width(between));
        Row::of(vec![
            Ink::new(self.tone, &*self.lead),
            Ink::new(self.name_tone, column(&self.name, name_width)),
            Ink::new(
                self.tone,
                format!("{between}{}", column(&self.what, what_width)),
            ),
            Ink::new(Tone::Quiet, format!(" {}", self.right)),
        ])
    }
}

type Words = (&'static str, Tone, String, String, String);

fn job_words(state: &State, now: WallTime, job: &JobRow) -> Words {
    let mut name = shown::line(&job.name);
    if job.tries > 1 {
        name.push_str(&format!(" (try {})", job.tries));
    }
    let agent = job
        .worker
        .and_then(|worker| Some((worker, state.roster.agent(worker)?)));
    match (&job.end, agent) {
        (Some(end), agent) => {
            let (mark, tone, what) = job_end(end);
            let age = agent.map_or_else(String::new, |(_, agent)| {
                short(agent.heard.since(agent.started))
            });
            (mark, tone, name, what, age)
        }
        (None, Some((worker, agent))) => agent_words(state, now, worker, agent, name),
        (None, None) => (" ", Tone::Quiet, name, "not started".into(), String::new()),
    }
}

fn job_end(end: &JobEnd) -> (&'static str, Tone, String) {
    let first = |text: &str| shown::line(text.lines().next().unwrap_or_default());
    match end {
        JobEnd::Done { summary } => ("✓", Tone::Good, format!("done  {}", first(summary))),
        JobEnd::Failed { reason } => ("✗", Tone::Danger, format!("failed: {}", first(reason))),
        JobEnd::TimedOut { .. } => ("✗", Tone::Danger, "its time was up".into()),
        JobEnd::Skipped { because } => (
            "■",
            Tone::Quiet,
            format!("skipped: `{}` did not end well", shown::line(because)),
        ),
        JobEnd::Stopped => ("■", Tone::Quiet, "stopped".into()),
        JobEnd::Halted { reason } => ("✗", Tone::Danger, format!("halted: {}", first(reason))),
    }
}

fn agent_words(
    state: &State,
    now: WallTime,
    worker: WorkerId,
    agent: &Agent,
    name: String,
) -> Words {
    let waiting = state.queue.waiting_of(worker);
    let age = short(now.since(agent.started));
    match &agent.doing {
        Doing::Ended { how, text } => {
            let (mark, tone, word) = match how {
                WorkerEnd::Done => ("✓", Tone::Good, "done"),
                WorkerEnd::Failed => ("✗", Tone::Danger, "failed"),
                WorkerEnd::Stopped => ("■", Tone::Quiet, "stopped"),
                WorkerEnd::Halted => ("✗", Tone::Danger, "halted"),
                WorkerEnd::TimedOut => ("✗", Tone::Danger, "timed out"),
            };
            let took = short(agent.heard.since(agent.started));
            (mark, tone, name, format!("{word}  {text}"), took)
        }
        _ if agent.stop == Stop::Asked => ("■", Tone::Notice, name, "is being stopped".into(), age),
        _ if waiting > 0 => {
            let times = match waiting {
                1 => String::new(),
                more => format!(", {more} times"),
            };
            // Whatever the answer, it does not go on by it.
            let (mark, paused) = if state.roster.is_held(agent) {
                ("‖", "paused, ")
            } else {
                ("?", "")
            };
            let what = format!("{paused}waits for you{times}");
            (mark, Tone::Notice, name, what, age)
        }
        Doing::Running { what, .. } => ("▶", Tone::Plain, name, format!("runs {what}"), age),
        Doing::Working if state.roster.is_held(agent) => {
            ("‖", Tone::Notice, name, "paused".into(), age)
        }
        Doing::AtModel { since } => {
            let what = format!("waits for the model, {}", short(now.since(*since)));
            ("~", Tone::Plain, name, what, age)
        }
        Doing::Working if state.roster.has_agents_at_work(agent) => {
            let what = "waits for its agents".to_owned();
            ("·", Tone::Plain, name, what, age)
        }
        Doing::Working if agent.is_silent(now) => {
            let silent = short(now.since(agent.heard));
            ("…", Tone::Notice, name, format!("silent for {silent}"), age)
        }
        Doing::Working => ("·", Tone::Plain, name, "works".into(), age),
    }
}

fn queue(state: &State, now: WallTime, area: Rect, canvas: &mut Canvas<'_>) {
    let which = state.overview.which;
    let list = state.list(which);
    let what = match which {
        Which::Waiting => "requests, in order of arrival",
        Which::Refused => "refused by the classifier, oldest first",
    };
    let title = format!("{what}{}", filtered(state));
    let places = state.overview.queue(list);
    let height = layout::Overview::entries(area);
    let top = state.overview.waiting.top(&places, height);
    let hidden = Hidden::of(places.len(), top, height);
    canvas.title(area, &title, attention(state, Pane::Waiting), hidden);
    if places.is_empty() {
        let text = match (list.len(), which) {
            (0, Which::Waiting) => {
                "nothing waits for you; new requests come in here and stay until they are answered"
            }
            (0, Which::Refused) => "nothing is left that could be lifted; c goes back",
            (_, _) => "nothing in this list holds the text of the filter",
        };
        let line = Line::ours(Ink::new(Tone::Quiet, "  "), Tone::Quiet, text);
        for (at, row) in wrap(&[line], area.width).iter().take(height).enumerate() {
            canvas.row(area, at.saturating_add(1), row);
        }
        return;
    }
    for (at, place) in places.iter().skip(top).take(height).enumerate() {
        let Some(group) = list.get(*place) else {
            continue;
        };
        let number = at.saturating_add(1);
        canvas.row(
            area,
            number,
            &group_row(list, now, (which, group), area.width),
        );
        if state.overview.waiting.on == Some(*place) && state.overview.pane == Pane::Waiting {
            canvas.reverse(area, number);
        }
    }
}

fn group_row(list: &Queue, now: WallTime, (which, group): (Which, &Group), width: u16) -> Row {
    let request = group
        .open
        .first()
        .map_or(&group.first, |open| &open.request);
    let id = column(&format!(" {}", request.id), 9);
    if let Some(ended) = &group.ended {
        let text = format!("{id} {ended}: {}", group.what);
        return Row::of(vec![Ink::new(Tone::Quiet, super::clip(&text, width))]);
    }
    let left = request.deadline.since(now);
    let (age_tone, age) = if which == Which::Waiting && left < SOON {
        (Tone::Danger, format!("-{}", short(left)))
    } else {
        (Tone::Quiet, short(now.since(request.opened_at)))
    };
    let (mark, mark_tone) = match (list.is_sending(request.id), group.weight) {
        (true, _) => ("→", Tone::Good),
        (false, Weight::Grave) => ("!", Tone::Danger),
        (false, Weight::Usual) => (" ", Tone::Plain),
    };
    let times = match group.open.len() {
        0 | 1 => String::new(),
        count => format!("×{count} "),
    };
    let who = shown::line(&group.lineage().to_string());
    let who_width = (width / 4).clamp(10, 28);
    let used = 9_u16
        .saturating_add(5)
        .saturating_add(3)
        .saturating_add(who_width);
    let what = format!("{times}{}", group.what);
    Row::of(vec![
        Ink::new(Tone::Plain, id),
        Ink::new(age_tone, format!("{} ", column_right(&age, 4))),
        Ink::new(mark_tone, format!("{mark} ")),
        Ink::new(Tone::Quiet, format!("{} ", column(&who, who_width))),
        Ink::new(Tone::Plain, super::clip(&what, width.saturating_sub(used))),
    ])
}

/// The request under the cursor, as far as there is room.
fn preview(state: &State, area: Rect, canvas: &mut Canvas<'_>) {
    let Some(preview) = state.preview() else {
        return;
    };
    let none = Hidden::default();
    canvas.title(area, &preview.title, Attention::Elsewhere, none);
    let height = usize::from(area.height);
    let rows = &preview.rows;
    let fits = rows.len() < height;
    let shown = if fits {
        rows.len()
    } else {
        height.saturating_sub(2)
    };
    for (at, row) in rows.iter().take(shown).enumerate() {
        canvas.row(area, at.saturating_add(1), row);
    }
    if !fits {
        let text = format!("… {} more rows", rows.len().saturating_sub(shown));
        let row = Row::of(vec![Ink::new(Tone::Quiet, text)]);
        canvas.row(area, shown.saturating_add(1), &row);
    }
}
