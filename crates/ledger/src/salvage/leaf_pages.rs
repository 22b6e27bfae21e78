//! Records read from the file's own bytes, page by page, for when the tree above the pages is damaged.
//!
//! SQLite finds a row by way of inner pages; one that is lost takes with it all rows below, though
//! their own pages are sound. A record says by its fingerprint whether it is whole, and by its place
//! in the chain where it belongs, so no inner page is needed to take it. Nothing here trusts a byte.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::Path;

use super::beside;
use crate::reader::StoredRow;

/// The size that pages have unless the file's first bytes say something else.
const PAGE_BYTES: usize = 4096;

/// The first byte of a page that holds rows.
const LEAF_OF_TABLE: u8 = 0x0d;

/// Where the tree's part of the first page begins; behind the file's own header.
const FIRST_PAGE_OFFSET: usize = 100;

const WAL_HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// The longest text of a row that is believed; far more than a record may have.
const PAYLOAD_BYTES_MAX: u64 = 64 << 20;

/// All whole records in a database and its write-ahead log, by run and number. What is no record is passed over.
pub(super) fn records(database: &Path) -> io::Result<BTreeMap<(u32, u64), StoredRow>> {
    let main = fs::read(database)?;
    let wal = match fs::read(beside(database, "-wal")) {
        Ok(wal) => wal,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let file = File::new(&main, &wal);
    let mut found = BTreeMap::new();
    for (page, from) in file.all_pages() {
        for row in file.rows(page, from) {
            let Some(run) = row.run() else { continue };
            if row.hash == *row.computed(run).as_bytes() {
                found.entry((row.run, row.number)).or_insert(row);
            }
        }
    }
    Ok(found)
}

/// The bytes of a database with its log.
struct File<'a> {
    main: &'a [u8],
    page_bytes: usize,
    /// What of a page's end SQLite leaves alone.
    reserved: usize,
    /// The newest form of each page that a finished transaction left in the log, and all older ones.
    logged: HashMap<usize, Vec<&'a [u8]>>,
}

impl<'a> File<'a> {
    fn new(main: &'a [u8], wal: &'a [u8]) -> Self {
        let page_bytes = match number_at(main, 16, 2) {
            Some(1) => 65_536,
            Some(size) if size >= 512 && size.is_power_of_two() => size,
            Some(_) | None => PAGE_BYTES,
        };
        Self {
            main,
            page_bytes,
            reserved: number_at(main, 20, 1)
                .filter(|bytes| *bytes < 64)
                .unwrap_or(0),
            logged: logged_pages(wal, page_bytes),
        }
    }

    /// The pages of the file, and those of the log, each with where its tree part begins.
    fn all_pages(&self) -> impl Iterator<Item = (&'a [u8], usize)> {
        let in_file = self.main.chunks_exact(self.page_bytes).enumerate();
        let in_file = in_file.map(|(at, page)| (at.saturating_add(1), page));
        let in_log = self
            .logged
            .iter()
            .flat_map(|(number, pages)| pages.iter().map(|page| (*number, *page)));
        in_file.chain(in_log).map(|(number, page)| {
            let from = if number == 1 { FIRST_PAGE_OFFSET } else { 0 };
            (page, from)
        })
    }

    /// The page of that number as it was last.
    fn page(&self, number: usize) -> Option<&'a [u8]> {
        if let Some(newest) = self.logged.get(&number).and_then(|pages| pages.last()) {
            return Some(newest);
        }
        let start = number.checked_sub(1)?.checked_mul(self.page_bytes)?;
        self.main.get(start..start.checked_add(self.page_bytes)?)
    }

    /// The rows of a page that look like records.
    fn rows(&self, page: &'a [u8], from: usize) -> Vec<StoredRow> {
        if page.get(from) != Some(&LEAF_OF_TABLE) {
            return Vec::new();
        }
        let cells = number_at(page, from.saturating_add(3), 2).unwrap_or(0);
        let pointers = from.saturating_add(8);
        (0..cells)
            .filter_map(|cell| {
                let at = number_at(page, pointers.saturating_add(cell.saturating_mul(2)), 2)?;
                self.row(page, at)
            })
            .collect()
    }

    fn row(&self, page: &[u8], at: usize) -> Option<StoredRow> {
        let mut cell = Bytes(page.get(at..)?);
        let length = cell
            .varint()
            .filter(|length| *length <= PAYLOAD_BYTES_MAX)?;
        let row_id = i64::from_ne_bytes(cell.varint()?.to_ne_bytes());
        let payload = self.payload(cell.0, usize::try_from(length).ok()?)?;
        read_record(&payload, row_id)
    }

    /// A row's bytes: what lies in its page, and the rest from the pages behind it.
    fn payload(&self, cell: &[u8], length: usize) -> Option<Vec<u8>> {
        let usable = self.page_bytes.checked_sub(self.reserved)?;
        let at_most = usable.checked_sub(35)?;
        if length <= at_most {
            return cell.get(..length).map(<[u8]>::to_vec);
        }
        let at_least = usable
            .checked_sub(12)?
            .checked_mul(32)?
            .checked_div(255)?
            .checked_sub(23)?;
        let on_a_page = usable.checked_sub(4)?;
        let rest = length.checked_sub(at_least)?.checked_rem(on_a_page)?;
        let local = match at_least.checked_add(rest)? {
            local if local <= at_most => local,
            _ => at_least,
        };
        let mut payload = cell.get(..local)?.to_vec();
        let mut next = number_at(cell, local, 4)?;
        // INVARIANT (ends): each page adds bytes, so a ring of pages comes to its end with the length.
        while payload.len() < length {
            let page = self.page(next)?;
            let missing = length.checked_sub(payload.len())?.min(on_a_page);
            payload.extend_from_slice(page.get(4..missing.checked_add(4)?)?);
            next = number_at(page, 0, 4)?;
        }
        Some(payload)
    }
}

/// The pages that finished transactions left in the log, in the order in which they were written.
fn logged_pages(wal: &[u8], page_bytes: usize) -> HashMap<usize, Vec<&[u8]>> {
    let mut logged: HashMap<usize, Vec<&[u8]>> = HashMap::new();
    let (Some(salt), Some(frames)) = (wal.get(16..24), wal.get(WAL_HEADER_BYTES..)) else {
        return logged;
    };
    let mut open = Vec::new();
    for frame in frames.chunks_exact(page_bytes.saturating_add(FRAME_HEADER_BYTES)) {
        let (header, page) = frame.split_at(FRAME_HEADER_BYTES);
        // A frame with another salt is left from an earlier round of the log.
        if header.get(8..16) != Some(salt) {
            break;
        }
        let Some(number) = number_at(header, 0, 4) else {
            break;
        };
        open.push((number, page));
        if number_at(header, 4, 4).is_some_and(|pages| pages > 0) {
            for (number, page) in open.drain(..) {
                logged.entry(number).or_default().push(page);
            }
        }
    }
    logged
}

/// The big-endian number of so many bytes at that place.
fn number_at(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    let number = bytes
        .iter()
        .fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    usize::try_from(number).ok()
}

/// Bytes that are read from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number of one to nine bytes, as SQLite writes them.
    fn varint(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for place in 0..9 {
            let byte = *self.take(1)?.first()?;
            if place == 8 {
                return Some((number << 8) | u64::from(byte));
            }
            number = (number << 7) | u64::from(byte & 0x7f);
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

/// What stands in a column.
enum Value<'a> {
    Null,
    Number(i64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

impl<'a> Value<'a> {
    fn read(kind: u64, body: &mut Bytes<'a>) -> Option<Self> {
        let width = match kind {
            0 => return Some(Self::Null),
            8 => return Some(Self::Number(0)),
            9 => return Some(Self::Number(1)),
            1..=4 => usize::try_from(kind).ok()?,
            5 => 6,
            6 => 8,
            7 | 10 | 11 => return None,
            12.. => {
                let bytes = body.take(usize::try_from(kind.checked_sub(12)? >> 1).ok()?)?;
                let is_text = kind & 1 == 1;
                return Some(if is_text {
                    Self::Text(bytes)
                } else {
                    Self::Blob(bytes)
                });
            }
        };
        let bytes = body.take(width)?;
        let sign = if bytes.first().is_some_and(|byte| *byte >= 0x80) {
            -1
        } else {
            0
        };
        let number = bytes
            .iter()
            .fold(sign, |number: i64, byte| (number << 8) | i64::from(*byte));
        Some(Self::Number(number))
    }

    fn number<T: TryFrom<i64>>(&self) -> Option<T> {
        match self {
            Self::Number(number) => T::try_from(*number).ok(),
            Self::Null | Self::Text(_) | Self::Blob(_) => None,
        }
    }

    /// A column that may be empty; the outer nothing stands for one that holds something else.
    fn id(&self) -> Option<Option<u32>> {
        match self {
            Self::Null => Some(None),
            Self::Number(_) => self.number().map(Some),
            Self::Text(_) | Self::Blob(_) => None,
        }
    }

    fn text(&self) -> Option<String> {
        match self {
            Self::Text(bytes) => std::str::from_utf8(bytes).ok().map(Into::into),
            Self::Null | Self::Number(_) | Self::Blob(_) => None,
        }
    }

    fn hash(&self) -> Option<[u8; 32]> {
        match self {
            Self::Blob(bytes) => (*bytes).try_into().ok(),
            Self::Null | Self::Number(_) | Self::Text(_) => None,
        }
    }
}

/// Reads the columns of the table of records; nothing when they are those of another table.
fn read_record(payload: &[u8], row_id: i64) -> Option<StoredRow> {
    let mut header = Bytes(payload);
    let header_bytes = usize::try_from(header.varint()?).ok()?;
    let header_left = header_bytes.checked_sub(payload.len().checked_sub(header.0.len())?)?;
    let mut kinds = Bytes(header.take(header_left)?);
    let mut body = header;
    let mut values = Vec::with_capacity(11);
    while !kinds.0.is_empty() {
        values.push(Value::read(kinds.varint()?, &mut body)?);
    }
    let [
        Value::Null,
        run,
        number,
        at,
        kind,
        worker,
        call,
        request,
        text,
        prev,
        hash,
    ] = &values[..]
    else {
        return None;
    };
    Some(StoredRow {
        seq: row_id,
        run: run.number()?,
        number: number.number()?,
        at: at.number()?,
        kind: kind.text()?,
        worker: worker.id()?,
        call: call.id()?,
        request: request.id()?,
        body: text.text()?,
        prev: prev.hash()?,
        hash: hash.hash()?,
    })
}
