//! `pointsman hooks test`: ask the configured hooks about a sample call, and tell what each says and
//! what it means. The hooks run for real; nothing that they want is done.

use pointsman_gate::{Hooks, Rehearsal, hooks_that_cant_start, sample_request};
use pointsman_ledger::HookCame;
use pointsman_model::Attended;
use pointsman_policy::settings::{HookEvent, HookSettings};
use tokio_util::sync::CancellationToken;

use super::check::input;
use super::rules;
use super::run::hook_place;
use crate::arguments::{HooksArguments, HooksTestArguments, HooksVerb};
use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::place::Place;

/// Tests the hooks.
pub(super) fn run(arguments: &HooksArguments, output: &mut Output) -> Result<Code, Failure> {
    match &arguments.verb {
        HooksVerb::Test(arguments) => test(arguments, output),
    }
}

fn test(arguments: &HooksTestArguments, output: &mut Output) -> Result<Code, Failure> {
    let call = input::read(&arguments.tool, &arguments.input)?;
    let place = Place::here()?;
    let given = rules::read(&arguments.rules, &place)?;
    for problem in &given.loaded.problems {
        output.note(&given.loaded.draw(problem));
    }
    let settings = chosen(given.loaded.hooks.clone(), arguments.hook.as_deref())?;
    let events = events(arguments.event.as_deref(), &settings)?;
    let place = hook_place(&given.loaded, &place, Attended::Yes);
    for problem in hooks_that_cant_start(&settings, &place) {
        output.note(&given.loaded.draw(&problem));
    }
    let request = sample_request(call.tool, call.input, call.text, given.mode, &place)
        .ok_or_else(|| Failure::failed("a sample can't be made"))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::of(&error))?;
    let rehearsals = runtime.block_on(async {
        let hooks = Hooks::new(settings, place);
        let never = CancellationToken::new();
        let mut rehearsals = Vec::new();
        for event in events {
            rehearsals.push(hooks.rehearse(event, &request, &never).await);
        }
        hooks.finish().await;
        rehearsals
    });
    for rehearsal in &rehearsals {
        output.text(&rehearsal.text());
        output.object(rehearsal);
    }
    Ok(code(&rehearsals))
}

/// The hooks to test: all, or those whose place or line holds the text.
fn chosen(mut settings: HookSettings, hook: Option<&str>) -> Result<HookSettings, Failure> {
    let Some(wanted) = hook else {
        return Ok(settings);
    };
    let names: Vec<_> = settings.hooks.iter().map(|hook| hook.name()).collect();
    settings.hooks.retain(|hook| hook.name().contains(wanted));
    if settings.hooks.is_empty() {
        let failure = Failure::bad_input(format!("there is no hook `{wanted}`"));
        return Err(match names.as_slice() {
            [] => failure.hint("no hook is configured, or none that counts"),
            names => failure.hint(format!("there are {}", names.join(", "))),
        });
    }
    Ok(settings)
}

/// The events to test: the one that is named, or each that has a hook.
fn events(named: Option<&str>, settings: &HookSettings) -> Result<Vec<HookEvent>, Failure> {
    let configured = |event: &HookEvent| settings.hooks.iter().any(|hook| hook.event == *event);
    match named {
        None => {
            let events: Vec<_> = HookEvent::ALL.into_iter().filter(configured).collect();
            if events.is_empty() {
                return Err(
                    Failure::bad_input("no hook is configured, or none that counts")
                        .hint("hooks of a project count once it is trusted"),
                );
            }
            Ok(events)
        }
        Some(named) => {
            let event = HookEvent::ALL
                .into_iter()
                .find(|event| event.as_str() == named);
            let names = HookEvent::ALL.map(HookEvent::as_str).join(", ");
            let event = event.ok_or_else(|| {
                Failure::bad_input(format!("`{named}` is no event of hooks"))
                    .hint(format!("there are {names}"))
            })?;
            Ok(vec![event])
        }
    }
}

/// A hook that fails is what a test is to find.
fn code(rehearsals: &[Rehearsal]) -> Code {
    let failed = rehearsals
        .iter()
        .flat_map(|rehearsal| &rehearsal.hooks)
        .any(|hook| hook.came == Some(HookCame::Failed));
    if failed { Code::Failed } else { Code::Done }
}
