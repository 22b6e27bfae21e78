//! `pointsman log export`: the records as JSON lines, with what it takes to check their chains.

use pointsman_ledger::{Filter, LedgerReader, Pages};
use pointsman_surfaces::masked_json;
use serde_json::json;

use super::{failed, no_such_run};
use crate::arguments::ExportArguments;
use crate::failure::{Code, Failure};
use crate::output::Output;

/// Prints them, oldest first; after them the head of each chain, by which a copy that was cut short shows.
pub(super) fn run(
    arguments: &ExportArguments,
    ledger: &LedgerReader,
    output: &mut Output,
) -> Result<Code, Failure> {
    if let Some(run) = arguments.run {
        let known = ledger.runs().map_err(|error| failed(&error))?;
        if known.iter().all(|info| info.run != run) {
            return Err(no_such_run(run));
        }
    }
    let mut pages = Pages::of(Filter {
        run: arguments.run,
        ..Filter::default()
    });
    let mut unreadable = 0_usize;
    while output.is_read()
        && let Some(page) = pages.next(ledger).map_err(|error| failed(&error))?
    {
        for record in &page.records {
            if arguments.mask {
                let record = serde_json::to_value(record).map_err(|error| Failure::of(&error))?;
                output.object(&masked_json(record));
            } else {
                output.object(record);
            }
        }
        unreadable = unreadable.saturating_add(page.unreadable.len());
    }
    let report = ledger.verify().map_err(|error| failed(&error))?;
    let heads: Vec<_> = report
        .heads
        .iter()
        .filter(|head| arguments.run.is_none_or(|run| head.run == run))
        .map(|head| json!({ "run": head.run, "number": head.number, "hash": head.hash }))
        .collect();
    output.object(&json!({ "heads": heads, "whole": report.is_sound(), "masked": arguments.mask }));
    if unreadable > 0 {
        output.note(&format!(
            "{unreadable} records can't be read and are left out; `pointsman log verify` tells more\n"
        ));
    }
    if unreadable > 0 || !report.is_sound() {
        return Err(Failure::failed("the ledger is not as it was written")
            .hint("`pointsman log verify` tells more"));
    }
    Ok(Code::Done)
}
