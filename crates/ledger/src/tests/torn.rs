//! Files that were cut or hurt anywhere: found, told, the longest whole part kept, never a panic.
//!
//! `scripts/torn` sets [`LONG`] and so tries every place of a large ledger; without it a few places of
//! a small one are tried.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;

use pointsman_model::{CallId, RunId, WorkerId};
use rusqlite::Connection;

use super::damage::written;
use super::{Place, die, sample};
use crate::salvage::beside;
use crate::{Filter, LedgerReader, RecordBody, RecordKind, WorkerEnd, WorkerEnded};

/// Set for the long profile.
const LONG: &str = "POINTSMAN_LONG";

const PAGE: usize = 4096;
const FRAME: usize = PAGE + 24;

fn is_long() -> bool {
    std::env::var_os(LONG).is_some()
}

/// How many cuts an earlier trial has made: all of them take hours, and each is the same each time.
fn cuts_made() -> usize {
    match std::env::var("POINTSMAN_TORN_FROM") {
        Ok(made) => made.parse().expect("a number of cuts"),
        Err(_) => 0,
    }
}

/// Numbers drawn by lot, the same each time.
struct Lot(u64);

impl Lot {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// A closed ledger of two runs, and where each record of the first lies in its file.
struct Written {
    place: Place,
    bytes: Vec<u8>,
    run: RunId,
    /// The last page that each record of the run needs, by number.
    last_page: BTreeMap<u64, usize>,
}

fn write(records: u32) -> Written {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (place, run) = runtime.block_on(async {
        let place = Place::new();
        let (ledger, run) = place.begin().await;
        for number in 1..=records {
            // Now and then one that fills several pages.
            if number % 97 == 0 {
                let large = WorkerEnded {
                    worker: WorkerId::new(run, number),
                    end: WorkerEnd::Done,
                    text: "x".repeat(3 * PAGE).into(),
                };
                ledger.note(run, large).await.unwrap();
            } else {
                let call = sample::requested(CallId::new(run, number));
                ledger.note(run, call).await.unwrap();
            }
        }
        die(ledger).await;
        let (ledger, _) = place.begin().await;
        ledger.close().await;
        (place, run)
    });
    let last_page = last_pages(&place.raw(), run);
    Written {
        bytes: fs::read(&place.path).unwrap(),
        last_page,
        place,
        run,
    }
}

/// Where SQLite itself says that each record of the run lies: the last of its pages.
fn last_pages(raw: &Connection, run: RunId) -> BTreeMap<u64, usize> {
    let mut statement = raw
        .prepare(
            "SELECT path, pageno, pagetype, ncell FROM dbstat WHERE name = 'records' ORDER BY path",
        )
        .unwrap();
    let pages: Vec<(String, usize, String, usize)> = statement
        .query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    // A page behind a cell is named `PATH/CELL+NUMBER`.
    let mut behind: HashMap<&str, usize> = HashMap::new();
    for (path, page, kind, _) in &pages {
        if kind == "overflow" {
            let cell = path.split('+').next().unwrap();
            let last = behind.entry(cell).or_default();
            *last = (*last).max(*page);
        }
    }
    let mut of_row = Vec::new();
    for (path, page, kind, cells) in &pages {
        if kind == "leaf" {
            for cell in 0..*cells {
                let name = format!("{path}{cell:03x}");
                of_row.push((*page).max(behind.get(name.as_str()).copied().unwrap_or(0)));
            }
        }
    }
    let mut statement = raw
        .prepare("SELECT run, number FROM records ORDER BY seq")
        .unwrap();
    let rows: Vec<(u32, u64)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(rows.len(), of_row.len());
    let ours = rows.iter().zip(of_row);
    ours.filter(|((of, _), _)| *of == run.number())
        .map(|((_, number), page)| (*number, page))
        .collect()
}

impl Written {
    /// How many records from the first on lie whole in so many pages.
    fn whole_in(&self, pages: usize) -> usize {
        let whole = self.last_page.values().take_while(|last| **last <= pages);
        whole.count()
    }

    /// The same ledger with other bytes in the place of its file.
    fn hurt(&self, bytes: &[u8]) -> Place {
        let hurt = Place::new();
        fs::create_dir_all(hurt.path.parent().unwrap()).unwrap();
        fs::write(&hurt.path, bytes).unwrap();
        // As after a crash: the second run's lock is free and its end is missing, so the file is looked at.
        fs::copy(
            beside(&self.place.path, ".lock"),
            beside(&hurt.path, ".lock"),
        )
        .unwrap();
        hurt
    }

    fn check_cut(&self, at: usize) {
        let cut = self.hurt(&self.bytes[..at]);
        let kept = check(&cut, &format!("cut at byte {at}"), self.run);
        let whole = self.whole_in(at / PAGE);
        assert!(
            kept >= whole,
            "cut at byte {at}: {kept} records kept of {whole} that are whole"
        );
    }

    fn check_cuts(&self, cuts: impl ExactSizeIterator<Item = usize>, which: &str) {
        let all = cuts.len();
        let made = cuts_made();
        assert!(made < all, "{made} of {all} cuts were made: none is left");
        for (number, at) in (1..).zip(cuts).skip(made) {
            self.check_cut(at);
            // A long trial says how far it is.
            if number % 1000 == 0 || number == all {
                println!("cut at {number} of {all} {which}");
            }
        }
    }
}

/// Whatever is done to the file, opening it must give a ledger that works, with a valid part of the old one, and no
/// run's number twice. Returns how many records of the run are left.
#[track_caller]
fn check(place: &Place, what: &str, run: RunId) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (ledger, report) = place.open();
        let next = ledger.begin_run(sample::run_start()).await.unwrap();
        assert!(next.number() > 2, "{what}: {next} was used before");
        let call = sample::requested(CallId::new(next, 1));
        ledger.append(next, call).await.unwrap();
        let reader = place.reader();
        let numbers = numbers_of(place, run);
        if let Some(aside) = &report.set_aside {
            assert!(aside.file.exists(), "{what}: nothing was kept");
            let verified = reader.verify().unwrap();
            assert!(verified.is_sound(), "{what}: {verified:?}");
            let told = reader.records(&Filter {
                kinds: vec![RecordKind::SetAside],
                ..Filter::of_run(next)
            });
            let told = told.unwrap().records;
            assert_eq!(told.len(), 1, "{what}");
            let RecordBody::SetAside(said) = &told[0].body else {
                panic!("{what}: {told:?}");
            };
            assert_eq!(said.head, aside.head, "{what}");
            // What was kept is a part from the beginning, nothing in between is missing.
            let expected: Vec<_> = (1..=numbers.len() as u64).collect();
            assert_eq!(numbers, expected, "{what}");
        }
        ledger.close().await;
        numbers.len()
    })
}

fn numbers_of(place: &Place, run: RunId) -> Vec<u64> {
    let raw = place.raw();
    let mut statement = raw
        .prepare("SELECT number FROM records WHERE run = ?1 ORDER BY number")
        .unwrap();
    let numbers = statement.query_map([run.number()], |row| row.get(0));
    numbers.unwrap().map(Result::unwrap).collect()
}

#[test]
fn law_23_a_file_cut_at_any_page_is_set_aside_with_all_that_is_whole() {
    let written = write(if is_long() { 10_000 } else { 1500 });
    let pages = written.bytes.len() / PAGE;
    assert!(pages > 100, "too small to be cut: {pages} pages");
    let step = if is_long() { 1 } else { pages / 10 };
    for page in (0..pages).step_by(step) {
        written.check_cut(page * PAGE);
    }
    println!("cut at {} of {pages} page boundaries", pages.div_ceil(step));
}

#[test]
fn law_23_a_file_cut_at_any_byte_of_its_end_is_set_aside_with_all_that_is_whole() {
    let written = write(if is_long() { 10_000 } else { 300 });
    let end = written.bytes.len();
    let step = if is_long() { 1 } else { 2039 };
    let cuts = (end - 2 * PAGE..end).step_by(step);
    written.check_cuts(cuts, "bytes of the last two pages");
}

#[test]
fn law_23_a_file_cut_anywhere_is_set_aside_with_all_that_is_whole() {
    let written = write(if is_long() { 10_000 } else { 300 });
    let end = written.bytes.len();
    let mut lot = Lot(0x9e37_79b9_7f4a_7c15);
    let cuts = if is_long() { 10_000 } else { 8 };
    let cuts = (0..cuts).map(|_| lot.below(end));
    written.check_cuts(cuts, "bytes drawn by lot");
}

#[test]
fn law_23_a_file_with_a_garbled_page_never_stops_anyone() {
    let written = write(200);
    let pages = written.bytes.len() / PAGE;
    let step = if is_long() { 1 } else { 7 };
    for page in (0..pages).step_by(step) {
        let hurt = written.hurt(&written.bytes);
        let file = OpenOptions::new().write(true).open(&hurt.path).unwrap();
        file.write_all_at(&[0xa5; 1024], (page * PAGE) as u64)
            .unwrap();
        drop(file);
        check(&hurt, &format!("garbled at page {page}"), written.run);
    }
}

#[tokio::test]
async fn law_23_a_torn_write_ahead_log_loses_no_more_than_its_tail() {
    let records = if is_long() { 10_000 } else { 40 };
    let place = Place::new();
    let (ledger, run) = place.begin().await;
    for number in 1..=records {
        let call = sample::requested(CallId::new(run, number));
        // The last ones alone, so that the log's last frames are theirs.
        if number + 4 > records {
            ledger.append(run, call).await.unwrap();
        } else {
            ledger.note(run, call).await.unwrap();
        }
    }
    // The files as a machine that lost its power would find them.
    let wal = beside(&place.path, "-wal");
    let (main_bytes, wal_bytes) = (fs::read(&place.path).unwrap(), fs::read(wal).unwrap());
    let end = wal_end(&wal_bytes);
    let step = if is_long() { 1 } else { 397 };
    for cut in (end - 2 * FRAME..=end).step_by(step) {
        let torn = Place::new();
        fs::create_dir_all(torn.path.parent().unwrap()).unwrap();
        fs::write(&torn.path, &main_bytes).unwrap();
        fs::write(beside(&torn.path, "-wal"), &wal_bytes[..cut]).unwrap();
        let (opened, report) = torn.open();
        assert!(report.set_aside.is_none(), "cut at {cut}: {report:?}");
        assert!(report.damaged.is_empty(), "cut at {cut}: {report:?}");
        let kept = report.dead[0].not_started.len();
        let all = records as usize;
        assert!(
            (all - 2..=all).contains(&kept),
            "cut at {cut}: {kept} of {all} kept"
        );
        drop(opened);
        if cut % 50 == 0 {
            assert!(torn.reader().verify().unwrap().is_sound(), "cut at {cut}");
        }
    }
}

/// Where the frames of the log's present round end; behind them may lie what is left of an earlier one.
fn wal_end(wal: &[u8]) -> usize {
    let salt = &wal[16..24];
    let frames = wal[32..].chunks_exact(FRAME);
    32 + FRAME * frames.take_while(|frame| &frame[8..16] == salt).count()
}

/// Every bit of some bytes of each record's text, turned over in the file itself, one after the other.
#[test]
fn law_23_a_flipped_bit_in_any_record_is_found() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let records = if is_long() { 1000 } else { 25 };
    let (place, run) = runtime.block_on(written(records));
    let bytes = fs::read(&place.path).unwrap();
    let file = OpenOptions::new().write(true).open(&place.path).unwrap();
    for number in 1..=records {
        let call = CallId::new(run, number);
        let marks = [format!("echo {call}\""), format!("echo {call}\\")];
        let at = marks
            .iter()
            .find_map(|mark| find(&bytes, mark.as_bytes()))
            .unwrap_or_else(|| panic!("record {number} is not in the file"));
        for bit in 0..8 {
            let byte = at + bit % 6;
            let hurt = [bytes[byte] ^ (1 << bit)];
            file.write_all_at(&hurt, byte as u64).unwrap();
            let report = LedgerReader::open(&place.path).unwrap().verify().unwrap();
            // The run's first record is number 1, so this is the next.
            let wanted = u64::from(number) + 1;
            let told = report.damage.iter().any(|damage| damage.number == wanted);
            assert!(told, "bit {bit} in {number}: {report:?}");
            file.write_all_at(&bytes[byte..=byte], byte as u64).unwrap();
        }
    }
    assert!(place.reader().verify().unwrap().is_sound());
}

/// The last place of the mark: before it may lie what SQLite has moved on from there.
fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).rposition(|window| window == mark)
}

/// A file whose every row is there while the page that leads to them is not.
#[test]
fn law_23_records_below_a_lost_inner_page_are_kept() {
    let written = write(3000);
    let raw = written.place.raw();
    let inner: Vec<usize> = raw
        .prepare("SELECT pageno FROM dbstat WHERE name = 'records' AND pagetype = 'internal'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    drop(raw);
    assert!(!inner.is_empty());
    for page in inner {
        let mut bytes = written.bytes.clone();
        let start = (page - 1) * PAGE;
        bytes[start..start + PAGE].fill(0);
        let hurt = written.hurt(&bytes);
        let kept = check(&hurt, &format!("without page {page}"), written.run);
        assert_eq!(kept, written.last_page.len(), "without page {page}");
    }
}
