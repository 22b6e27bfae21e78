//! Files with commands in them that a program reads, where the line itself has written them.

use pointsman_model::EffectView;

use super::carriers::values;
use super::told::{Language, scripts};
use super::{Asked, Inner, files};
use crate::field::Field;
use crate::walk::{is_filled_unseen, texts_in};

/// Programs that read commands from a file.
struct Reader {
    names: &'static [&'static str],
    /// Options that name the file.
    options: &'static [&'static str],
    /// Files that are read under these names.
    usual: &'static [&'static str],
    /// Options that name the folder in which they are looked for.
    folders: &'static [&'static str],
    language: Language,
}

const READERS: [Reader; 7] = [
    Reader {
        names: &["make", "gmake", "bmake"],
        options: &["-f", "--file", "--makefile"],
        usual: &["makefile", "Makefile", "GNUmakefile"],
        folders: &["-C", "--directory"],
        language: Language::Make,
    },
    Reader {
        names: &["just"],
        options: &["-f", "--justfile"],
        usual: &["justfile", "Justfile", ".justfile"],
        folders: &["-d", "--working-directory"],
        language: Language::Make,
    },
    Reader {
        names: &["npm", "pnpm", "yarn", "bun", "npx", "node"],
        options: &[],
        usual: &["package.json"],
        folders: &["-C", "--prefix", "--dir", "--cwd"],
        language: Language::Code,
    },
    Reader {
        names: &["awk", "gawk", "mawk"],
        options: &["-f", "--file"],
        usual: &[],
        folders: &[],
        language: Language::Code,
    },
    Reader {
        names: &["gdb", "lldb"],
        options: &["-x", "--command", "-s", "--source"],
        usual: &[".gdbinit"],
        folders: &[],
        language: Language::Debugger,
    },
    Reader {
        names: &["psql", "mysql", "sqlite3"],
        options: &["-f", "--file", "-init"],
        usual: &[],
        folders: &[],
        language: Language::Sql,
    },
    Reader {
        names: &["vi", "vim", "nvim", "ex"],
        options: &["-S", "-s", "-u"],
        usual: &[".vimrc", ".exrc"],
        folders: &[],
        language: Language::Editor,
    },
];

/// What those files have the program start.
pub(crate) fn written(asked: &Asked<'_>, name: &str) -> Vec<Inner> {
    let mut found = Vec::new();
    if !asked.state.has_made() {
        return found;
    }
    let span = asked.called.span;
    for reader in READERS.iter().filter(|reader| reader.names.contains(&name)) {
        let usual = reader.usual.iter().map(|name| Field::made(name, span));
        let named = reader
            .options
            .iter()
            .flat_map(|option| values(asked.args(), option));
        let folders: Vec<Field> = reader
            .folders
            .iter()
            .flat_map(|option| values(asked.args(), option))
            .collect();
        let elsewhere = folders.iter().flat_map(|folder| {
            let usual = reader.usual.iter().map(|name| Field::made(name, span));
            usual.filter_map(|name| files::inside(folder, &name))
        });
        for file in usual.chain(named).chain(elsewhere) {
            if is_filled_unseen(&file, asked.state) {
                found.push(Inner::Script(file.unseen(), EffectView::Might));
            }
            for text in texts_in(&file, asked.state) {
                let scripts = scripts(reader.language, &text, span).into_iter();
                found.extend(scripts.map(|it| Inner::Script(it, EffectView::Might)));
            }
        }
    }
    found
}
