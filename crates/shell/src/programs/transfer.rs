//! Programs that pack, unpack and carry files.

use pointsman_model::{Change, EffectView, Reach};

use super::{Asked, Facts, Inner, UseKind};
use crate::field::Field;
use crate::options::{Arg, Options, Order, read};

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    match name {
        "tar" | "gtar" | "bsdtar" => Some(tar(asked)),
        "zip" | "7z" | "7za" | "rar" => Some(pack(asked)),
        "unzip" | "unrar" => Some(unzip(asked)),
        "rsync" => Some(carry(asked, &RSYNC)),
        "scp" => Some(carry(asked, &SCP)),
        _ => None,
    }
}

fn tar(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::program();
    let args = asked.args();
    let mut mode = '?';
    let mut archive: Option<Field> = None;
    let mut folder: Option<Field> = None;
    let mut members: Vec<Field> = Vec::new();
    let mut at = 0;
    while let Some(field) = args.get(at) {
        let text = field.text().unwrap_or("");
        at += 1;
        let old_style = at == 1 && !text.is_empty() && !text.starts_with('-');
        if text.starts_with("--") {
            let (name, value) = match text.split_once('=') {
                Some((name, _)) => (name, Some(field.tail(name.len() + 1))),
                None => (text, None),
            };
            match name {
                "--create" => mode = 'c',
                "--extract" | "--get" => mode = 'x',
                "--list" => mode = 't',
                "--append" | "--update" => mode = 'r',
                "--file" | "--directory" => {
                    let value = value.or_else(|| {
                        at += 1;
                        args.get(at - 1).cloned()
                    });
                    match name {
                        "--file" => archive = value,
                        _ => folder = value,
                    }
                }
                "--to-command"
                | "--use-compress-program"
                | "--rsh-command"
                | "--checkpoint-action"
                | "--info-script"
                | "--new-volume-script" => {
                    if let Some(script) = value {
                        let script = match script.text().and_then(|text| text.strip_prefix("exec="))
                        {
                            Some(_) => script.tail("exec=".len()),
                            None => script,
                        };
                        facts.inner.push(Inner::Script(script, EffectView::Might));
                    }
                }
                _ => {}
            }
        } else if old_style || (text.len() > 1 && text.starts_with('-')) {
            for letter in text.trim_start_matches('-').chars() {
                match letter {
                    'c' | 'x' | 't' | 'r' | 'u' => mode = letter,
                    'f' | 'C' | 'I' => {
                        let value = args.get(at).cloned();
                        at += 1;
                        match letter {
                            'f' => archive = value,
                            'C' => folder = value,
                            _ => facts.inner.extend(
                                value.map(|script| Inner::Script(script, EffectView::Might)),
                            ),
                        }
                    }
                    _ => {}
                }
            }
        } else {
            members.push(field.clone());
        }
    }
    let archive = archive.filter(|field| !field.is("-"));
    match mode {
        'c' | 'r' | 'u' => {
            if let Some(archive) = &archive {
                facts.write(archive, Change::Content);
            }
            for member in &members {
                facts.read(member, Reach::ContentBelow);
            }
        }
        _ => {
            if let Some(archive) = &archive {
                facts.read(archive, Reach::Itself);
            }
            if mode == 'x' {
                let target = folder.unwrap_or_else(|| asked.here());
                facts.write(&target, Change::Content);
            }
        }
    }
    facts
}

fn pack(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::program();
    let mut operands = asked.args().iter().filter(|field| !field.may_be_option());
    if let Some(archive) = operands.next() {
        facts.write(archive, Change::Content);
    }
    for field in operands {
        facts.read(field, Reach::ContentBelow);
    }
    facts
}

fn unzip(asked: &Asked<'_>) -> Facts {
    const UNZIP: Options = Options {
        short: "abcCfjklLMnopqstTuUvVWXZ",
        short_value: "dPx",
        short_glued: "",
        long: &[],
        long_value: &[],
    };
    let mut facts = Facts::program();
    let mut target = None;
    let mut keeps = true;
    let mut first = true;
    for arg in read(asked.args(), &UNZIP, Order::Mixed) {
        match arg {
            Arg::Option("d", folder) => target = folder,
            Arg::Option("l" | "p" | "t" | "v" | "Z" | "c", _) => keeps = false,
            Arg::Operand(field) if first => {
                first = false;
                facts.read(field, Reach::Itself);
            }
            Arg::Option(..) | Arg::Stranger(_) | Arg::Operand(_) => {}
        }
    }
    if keeps {
        let target = target.unwrap_or_else(|| asked.here());
        facts.write(&target, Change::Content);
    }
    facts
}

const RSYNC: Options = Options {
    short: "0468abcCdDEgGHhiIJKkLlmnNOopPqrRsStuUvWwxXyz",
    short_value: "BefMT@",
    short_glued: "",
    long: &[
        "archive",
        "verbose",
        "delete",
        "delete-after",
        "delete-before",
        "delete-excluded",
        "dry-run",
        "progress",
        "recursive",
        "compress",
        "human-readable",
        "stats",
        "partial",
        "update",
        "checksum",
        "links",
        "perms",
        "times",
        "quiet",
        "ignore-existing",
        "existing",
        "relative",
        "size-only",
        "inplace",
        "remove-source-files",
        "itemize-changes",
    ],
    long_value: &[
        "rsh",
        "rsync-path",
        "exclude",
        "include",
        "exclude-from",
        "include-from",
        "files-from",
        "filter",
        "bwlimit",
        "timeout",
        "port",
        "info",
        "chmod",
        "chown",
        "backup-dir",
        "link-dest",
        "log-file",
        "max-size",
        "min-size",
    ],
};

const SCP: Options = Options {
    short: "346ABCOpqRrTv",
    short_value: "cDFiJloPSX",
    short_glued: "",
    long: &[],
    long_value: &[],
};

/// Sources, then one target; what has a colon is on another machine.
fn carry(asked: &Asked<'_>, options: &Options) -> Facts {
    let mut facts = Facts::program();
    let mut operands: Vec<&Field> = Vec::new();
    for arg in read(asked.args(), options, Order::Mixed) {
        match arg {
            Arg::Option("e" | "--rsh" | "--rsync-path" | "S", Some(script)) => {
                facts.inner.push(Inner::Script(script, EffectView::Might));
            }
            Arg::Option(
                "--exclude-from" | "--include-from" | "--files-from" | "i" | "F",
                Some(file),
            ) => {
                facts.read(&file, Reach::Itself);
            }
            Arg::Option("--log-file" | "--backup-dir", Some(file)) => {
                facts.write(&file, Change::Content);
            }
            Arg::Option("--remove-source-files" | "--delete", _) => {
                for field in asked.args() {
                    if !field.may_be_option() && !is_remote(field) {
                        facts.might(field, UseKind::Write(Change::Remove));
                    }
                }
            }
            Arg::Option(..) => {}
            Arg::Stranger(field) => {
                if field.text().is_none() {
                    operands.push(field);
                }
            }
            Arg::Operand(field) => operands.push(field),
        }
    }
    let target = operands.pop();
    for field in operands {
        if is_remote(field) {
            facts.connect(field);
        } else {
            facts.read(field, Reach::ContentBelow);
        }
    }
    if let Some(field) = target {
        if is_remote(field) {
            facts.connect(field);
        } else {
            facts.write(field, Change::Content);
        }
    }
    facts
}

fn is_remote(field: &Field) -> bool {
    let prefix = field.prefix();
    match prefix.find(':') {
        Some(at) => !prefix.get(..at).unwrap_or("").contains('/'),
        None => false,
    }
}
