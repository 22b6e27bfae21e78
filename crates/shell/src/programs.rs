//! What programs do, from tables: one file a family, each with the options it allows.
//!
//! A program is a known reader only in a form that changes nothing, starts nothing and connects
//! nowhere. An option that a table does not have makes it a program like any other; what its operands
//! name is listed all the same.

mod awk;
mod carriers;
mod containers;
mod fetched;
mod files;
mod git;
mod globals;
mod hosts;
mod interpreters;
mod itself;
mod jq;
mod kept;
mod known;
mod listed;
mod listings;
mod lists;
mod lsof;
mod make;
mod marks;
mod named;
mod network;
mod readers;
mod scripts;
mod search;
mod sed;
mod special;
mod told;
mod transfer;
mod uses;
mod viewers;

pub(crate) use carriers::values;
pub(crate) use containers::{Mounted, folder as container_folder, mounts, runs_containers};
pub(crate) use itself::asks_about_itself;
pub(crate) use kept::{Kept, keeps_input, makes_text, puts_nothing_new};
pub(crate) use named::below;
pub(crate) use scripts::written;
pub(crate) use special::is_well_known;

use pointsman_model::{AbsPath, Change, EffectView, PathValue, Reach, RunNature, Word};

use self::known::Tables;
use crate::field::Field;
use crate::state::State;
use crate::walk::Called;

/// A command whose program is to be described.
pub(crate) struct Asked<'c> {
    pub(crate) called: &'c Called<'c>,
    pub(crate) state: &'c State,
    /// The folder that the line starts in.
    pub(crate) start: &'c AbsPath,
}

impl<'c> Asked<'c> {
    pub(crate) fn args(&self) -> &'c [Field] {
        self.called.args()
    }

    /// A field that stands for this folder.
    pub(crate) fn here(&self) -> Field {
        Field::made(".", self.called.span)
    }

    /// Whether the command runs where the line starts.
    pub(crate) fn at_start(&self) -> bool {
        self.state.folders.len() == 1 && self.state.folder() == Some(self.start)
    }
}

/// What a program does with a thing it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UseKind {
    Read(Reach),
    Write(Change),
    /// A change of files below it which nobody names.
    Below(Change),
    /// It holds what nobody knows from then on, and so does all that lies below it. Of itself it is no effect.
    Fills,
    /// A folder, or a file, that a container is given.
    Mount(Mounted),
    /// A host, or a URL.
    Connect,
}

/// A thing that a program uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) field: Field,
    pub(crate) kind: UseKind,
    /// `Might` for other readings of the command line.
    pub(crate) view: EffectView,
}

impl Use {
    /// Whether it is a connection to this address.
    fn connects_to(&self, address: &str) -> bool {
        self.kind == UseKind::Connect && self.field.prefix().ends_with(address)
    }
}

/// Something that a program starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Inner {
    /// A command line.
    Argv(Vec<Field>, EffectView),
    /// A text for a shell.
    Script(Field, EffectView),
}

impl Inner {
    /// Whether both hand the same text to a shell.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Script(one, _), Self::Script(two, _)) => {
                one.text().is_some_and(|text| two.is(text))
            }
            (Self::Argv(..) | Self::Script(..), _) => false,
        }
    }
}

/// What its output is to the next command of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lists {
    Nothing,
    /// Names below what it reads.
    WhatItReads,
    /// Some of the lines that it is fed.
    WhatItIsFed,
}

/// What a program does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) nature: RunNature,
    pub(crate) uses: Vec<Use>,
    /// The command without idle options.
    pub(crate) canonical: Option<Vec<Word>>,
    pub(crate) inner: Vec<Inner>,
    pub(crate) lists: Lists,
    /// The folder that it works in, when an option names another.
    pub(crate) elsewhere: Option<Field>,
    /// Names that it makes for files which are there: the new name, and what it stands for.
    pub(crate) links: Vec<(Field, Field)>,
    /// Files that it fills with what others hold: the file, and the other one.
    pub(crate) copies: Vec<(Field, Field)>,
    /// Of a program that lists names: what it lists, when that is less than all below what it reads.
    pub(crate) listed: Vec<Field>,
    /// What it takes its standard input for.
    pub(crate) input: InputIs,
}

/// What a program takes its standard input for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputIs {
    Data,
    /// A script that it runs.
    Code,
}

impl Facts {
    pub(crate) fn of(nature: RunNature) -> Self {
        Self {
            nature,
            uses: Vec::new(),
            canonical: None,
            inner: Vec::new(),
            lists: Lists::Nothing,
            elsewhere: None,
            links: Vec::new(),
            copies: Vec::new(),
            listed: Vec::new(),
            input: InputIs::Data,
        }
    }

    pub(crate) fn program() -> Self {
        Self::of(RunNature::Program)
    }

    pub(crate) fn reader() -> Self {
        Self::of(RunNature::KnownReader)
    }

    pub(crate) fn read(&mut self, field: &Field, reach: Reach) {
        self.uses_one(field, UseKind::Read(reach));
    }

    pub(crate) fn write(&mut self, field: &Field, change: Change) {
        self.uses_one(field, UseKind::Write(change));
    }

    pub(crate) fn connect(&mut self, field: &Field) {
        self.uses_one(field, UseKind::Connect);
    }

    fn uses_one(&mut self, field: &Field, kind: UseKind) {
        self.uses.push(Use {
            field: field.clone(),
            kind,
            view: EffectView::Sure,
        });
    }

    /// A use in another reading.
    pub(crate) fn might(&mut self, field: &Field, kind: UseKind) {
        self.uses.push(Use {
            field: field.clone(),
            kind,
            view: EffectView::Might,
        });
    }

    /// It puts there what nobody knows.
    pub(crate) fn fill(&mut self, place: &Field) {
        self.might(place, UseKind::Fills);
    }

    /// It starts what its arguments say: no prefix rule covers it.
    pub(crate) fn guard(&mut self) {
        if self.nature != RunNature::InlineCode {
            self.nature = RunNature::Wrapper;
        }
    }

    /// A text that it hands to a shell, as far as it is known.
    pub(crate) fn starts(&mut self, script: Field) {
        let script = Inner::Script(script, EffectView::Might);
        if !self.inner.iter().any(|it| it.is_like(&script)) {
            self.inner.push(script);
        }
    }

    /// A text that it may be taken to hand to a shell, of what nobody knows that it does.
    pub(crate) fn may_start(&mut self, script: Field) {
        self.inner.push(Inner::Script(script, EffectView::Guessed));
    }

    /// Code that it runs, in a language that is not looked into: the commands and files whose names
    /// stand in it.
    pub(crate) fn code(&mut self, text: &str, span: pointsman_model::Span) {
        for script in told::scripts(told::Language::Code, text, span) {
            self.may_start(script);
        }
        for (path, change) in told::files(text) {
            let field = Field::made(&path, span);
            self.might(&field, UseKind::Read(Reach::Itself));
            if let Some(change) = change {
                self.might(&field, UseKind::Write(change));
            }
        }
    }

    /// It is no known reader after all.
    pub(crate) fn spoil(&mut self) {
        match self.nature {
            RunNature::KnownReader | RunNature::FileCommand => self.nature = RunNature::Program,
            RunNature::Program
            | RunNature::InlineCode
            | RunNature::Wrapper
            | RunNature::PlainWrapper => {}
        }
    }
}

/// What its arguments say of what it starts and which files it uses, whatever else it does. Gives
/// possibilities alone.
pub(crate) fn told_by_arguments(called: &Called<'_>) -> Told {
    let name = last_name(called.program().unwrap_or(""));
    told(called, name, known::of(name))
}

fn told(called: &Called<'_>, name: &str, known: &Tables) -> Told {
    let marks = marks::Marks::of(called.args());
    let carried = carriers::carried(called, known, marks);
    let mut inner = carried.inner;
    inner.extend(globals::without(called, name, known));
    let mut uses = named::named(called, name, known, marks);
    uses.extend(carried.uses);
    uses.extend(containers::uses(called, name));
    uses.extend(fetched::uses(called, name));
    uses.extend(hosts::uses(called, name, known));
    Told {
        inner,
        uses,
        unusual: carried.unusual,
    }
}

/// What the arguments of a command say.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) inner: Vec<Inner>,
    pub(crate) uses: Vec<Use>,
    /// It is told to start something that no prefix rule for the program covers.
    pub(crate) unusual: bool,
}

/// Whether the program is one of the readers that run without a rule; no other one is known to print names alone.
pub(crate) fn runs_unasked(program: &str) -> bool {
    known::of(program).unasked
}

/// The name of the file that a program is.
pub(crate) fn last_name(program: &str) -> &str {
    let slash = program.bytes().rposition(|byte| byte == b'/');
    slash.map_or(program, |at| program.get(at + 1..).unwrap_or(""))
}

/// What the command does.
pub(crate) fn describe(asked: &Asked<'_>) -> Facts {
    let program = asked.called.program().unwrap_or("");
    let name = last_name(program);
    if program.len() == name.len() && asks_about_itself(asked.called, name) {
        return Facts::reader();
    }
    let known = known::of(name);
    let mut facts = by_name(asked, name);
    let mut told = told(asked.called, name, known);
    // An address is text to a reader, and others have told what they surely connect to.
    let reads = facts.nature == RunNature::KnownReader;
    told.uses.retain(|used| {
        let address = used.field.prefix();
        used.kind != UseKind::Connect
            || !reads && !facts.uses.iter().any(|it| it.connects_to(address))
    });
    facts.inner.extend(told.inner);
    facts.uses.extend(told.uses);
    if !reads && !matches!(facts.nature, RunNature::FileCommand) {
        facts.uses.extend(hosts::exported(asked, known));
    }
    facts.inner.extend(written(asked, name));
    facts.uses.extend(lists::listed(asked, name));
    if told.unusual {
        facts.guard();
    }
    if program.len() != name.len() {
        // A file of that name elsewhere may be anything.
        facts.spoil();
    }
    if facts.nature == RunNature::KnownReader && !known.unasked {
        facts.spoil();
    }
    facts
}

fn by_name(asked: &Asked<'_>, name: &str) -> Facts {
    let families: [fn(&Asked<'_>, &str) -> Option<Facts>; 15] = [
        readers::describe,
        search::describe,
        git::describe,
        files::describe,
        sed::describe,
        viewers::describe,
        make::describe,
        awk::describe,
        jq::describe,
        special::describe,
        lsof::describe,
        listings::describe,
        network::describe,
        transfer::describe,
        interpreters::describe,
    ];
    families
        .iter()
        .find_map(|family| family(asked, name))
        .unwrap_or_else(|| special::stranger(asked))
}

/// The places that the output of a command names.
pub(crate) fn names(
    lists: Lists,
    reads: &[PathValue],
    fed: Option<&Vec<PathValue>>,
) -> Option<Vec<PathValue>> {
    match lists {
        Lists::Nothing => None,
        Lists::WhatItReads => Some(reads.to_vec()),
        Lists::WhatItIsFed => fed.cloned(),
    }
}
