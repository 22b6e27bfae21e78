//! No accidental yes, whatever is typed, pasted, resized and asked in whatever order.

use pointsman_model::{PermissionRequest, Surface, VerdictKind};
use proptest::prelude::*;
use ratatui::layout::Size;

use super::View;
use crate::fixture;
use crate::screen::event::Event;
use crate::screen::key::Key;
use crate::screen::stage::Stage;

/// Something that happens at a terminal.
#[derive(Debug, Clone)]
enum Happening {
    Key(Key),
    Paste(String),
    Resize(u16, u16),
    Asks(u32, Kind),
    EndsElsewhere(u32),
    Frame,
    /// A frame, and time to look at it.
    Look,
    Wait(u64),
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Short,
    Equal,
    Grave,
    Long,
}

fn request(number: u32, kind: Kind) -> PermissionRequest {
    match kind {
        Kind::Short => fixture::request(number, &format!("cmd {number}")),
        Kind::Equal => fixture::request(number, "git push"),
        Kind::Grave => fixture::grave(number, "rm -rf build"),
        Kind::Long => fixture::request(number, &"echo line\n".repeat(80)),
    }
}

/// Any key but the chord that sends a yes.
fn everyday() -> impl Strategy<Value = Key> {
    let keys = prop::sample::select(vec![
        Key::Enter,
        Key::Esc,
        Key::Tab,
        Key::BackTab,
        Key::Backspace,
        Key::Delete,
        Key::Up,
        Key::Down,
        Key::Left,
        Key::Right,
        Key::Home,
        Key::End,
        Key::PageUp,
        Key::PageDown,
    ]);
    let chords = prop::char::range('a', 'z')
        .prop_filter("the chord that sends", |chord| {
            Key::Chord(*chord) != super::super::dialog::SEND
        })
        .prop_map(Key::Chord);
    // Those that lead somewhere come often, so that panels are reached.
    let leading = prop::sample::select(vec!['a', 'a', 'a', 'e', 'd', 'x', 'n', '1', ' ']);
    prop_oneof![
        4 => keys,
        2 => Just(Key::Enter),
        3 => leading.prop_map(Key::Char),
        2 => prop::char::range(' ', '~').prop_map(Key::Char),
        1 => chords,
    ]
}

fn news() -> impl Strategy<Value = Happening> {
    let kinds = prop::sample::select(vec![Kind::Short, Kind::Equal, Kind::Grave, Kind::Long]);
    let pastes = prop::sample::select(vec![
        "y\n", "allow\n", "yes", "r3-1\n", "all 2\n", "a\u{19}", "\u{19}", "1\r",
    ]);
    prop_oneof![
        4 => (1_u32..9, kinds).prop_map(|(number, kind)| Happening::Asks(number, kind)),
        1 => (1_u32..9).prop_map(Happening::EndsElsewhere),
        1 => pastes.prop_map(|text| Happening::Paste(text.into())),
        1 => (10_u16..60, 3_u16..20).prop_map(|(width, height)| Happening::Resize(width, height)),
        2 => (60_u16..200, 30_u16..60).prop_map(|(width, height)| Happening::Resize(width, height)),
        2 => Just(Happening::Frame),
        16 => Just(Happening::Look),
        2 => (0_u64..600).prop_map(Happening::Wait),
    ]
}

fn happen(stage: &mut Stage, happening: &Happening) {
    match happening {
        Happening::Key(key) => stage.take(Event::Key(*key)),
        Happening::Paste(text) => stage.take(Event::Pasted(text.clone())),
        Happening::Resize(width, height) => stage.take(Event::Resized(Size::new(*width, *height))),
        Happening::Asks(number, kind) => stage.asks(request(*number, *kind)),
        Happening::EndsElsewhere(number) => {
            let ended = request(*number, Kind::Short);
            stage.ends(&ended, Surface::Command, VerdictKind::Deny { text: None })
        }
        Happening::Frame => stage.take(Event::Drawn),
        Happening::Look => stage.see(),
        Happening::Wait(millis) => stage.wait(*millis),
    };
}

fn approvals(stage: &Stage) -> usize {
    let yes = |(_, kind): &(_, VerdictKind)| matches!(kind, VerdictKind::Allow { .. });
    stage.answers().iter().filter(|answer| yes(answer)).count()
}

/// Everyday keys, news, and the chord held down now and then.
fn with_the_chord() -> impl Strategy<Value = Vec<Happening>> {
    let happening = prop_oneof![
        3 => everyday().prop_map(Happening::Key),
        3 => Just(Happening::Key(Key::Chord('y'))),
        3 => news(),
    ];
    prop::collection::vec(happening, 1..120)
}

#[test]
fn the_same_happenings_with_the_chord_do_approve() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut approved = 0;
    for _ in 0..450 {
        let mut stage = Stage::new(80, 24);
        let happenings = with_the_chord().new_tree(&mut runner).unwrap().current();
        for happening in &happenings {
            happen(&mut stage, happening);
        }
        approved += usize::from(approvals(&stage) > 0);
    }
    // Else the properties below would hold of a screen on which nothing can be approved.
    assert!(approved >= 10, "{approved} of 450");
}

/// Where the person is: the view, the request in it, and the screen's row under each cursor.
fn whereabouts(stage: &Stage) -> String {
    let state = &stage.state;
    let view = match &state.view {
        View::Overview => "overview".to_owned(),
        View::Request(dialog) => {
            let ids: Vec<String> = dialog
                .covered
                .iter()
                .map(|open| open.request.id.to_string())
                .collect();
            format!("{:?} {ids:?}", dialog.place)
        }
        View::Transcript(reading, _) => reading.worker.to_string(),
    };
    let places = state.overview.queue(&state.queue);
    let on = state.overview.waiting.on;
    let height = 8;
    let top = state.overview.waiting.top(&places, height);
    let row = places.iter().position(|place| Some(*place) == on);
    format!("{view} {on:?} {:?}", row.map(|row| row - top.min(row)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_everyday_key_paste_or_resize_ever_approves(
        happenings in prop::collection::vec(
            prop_oneof![3 => everyday().prop_map(Happening::Key), 4 => news()], 1..120)
    ) {
        let mut stage = Stage::new(80, 24);
        for happening in &happenings {
            happen(&mut stage, happening);
            prop_assert_eq!(approvals(&stage), 0, "by {:?}", happening);
        }
    }

    #[test]
    fn a_held_chord_approves_at_most_what_was_opened_for_it(
        happenings in with_the_chord()
    ) {
        let mut stage = Stage::new(80, 24);
        let mut opened = 0;
        let mut sent = 0;
        for happening in &happenings {
            if matches!(happening, Happening::Key(Key::Char('a' | 'e'))) {
                opened += 1;
            }
            let before = approvals(&stage);
            happen(&mut stage, happening);
            let more = approvals(&stage) - before;
            if more > 0 {
                sent += 1;
                let by_chord = matches!(happening, Happening::Key(Key::Chord('y')));
                let two_acts = stage.answers()[before..].iter().all(|(request, kind)| {
                    let edited = matches!(kind, VerdictKind::Allow { edited: Some(_), .. });
                    edited || crate::render::is_grave(request)
                });
                prop_assert!(
                    by_chord != two_acts,
                    "a grave one and a changed one by its word, all others by the chord"
                );
            }
            prop_assert!(sent <= opened);
        }
    }

    #[test]
    fn a_new_request_never_takes_the_view_nor_moves_what_is_under_the_cursor(
        before in prop::collection::vec(
            prop_oneof![3 => everyday().prop_map(Happening::Key), 3 => news()], 0..60),
        numbers in prop::collection::vec(10_u32..40, 1..20),
    ) {
        let mut stage = Stage::new(80, 24);
        for happening in &before {
            happen(&mut stage, happening);
        }
        // A filter may hide what comes; it is the person's own.
        let at = whereabouts(&stage);
        for number in numbers {
            stage.asks(request(number, if number % 2 == 0 { Kind::Short } else { Kind::Equal }));
            prop_assert_eq!(whereabouts(&stage), at.clone());
        }
        prop_assert_eq!(approvals(&stage), 0);
    }
}
