//! Programs that talk to hosts.

use pointsman_model::{Change, Reach};

use super::carriers::{is_beginning, values};
use super::transfer::landed;
use super::{Asked, Facts, UseKind, files, hosts};
use crate::field::Field;
use crate::options::{Arg, Options, Order, read};

pub(super) fn describe(asked: &Asked<'_>, name: &str) -> Option<Facts> {
    match name {
        "curl" | "curlie" => Some(curl(asked)),
        "wget" | "wget2" => Some(wget(asked)),
        "http" | "https" | "xh" | "lynx" | "w3m" | "ftp" | "sftp" | "lftp" | "smbclient"
        | "telnet" | "nc" | "ncat" | "netcat" | "socat" | "ping" | "ping6" | "traceroute"
        | "tracepath" | "dig" | "host" | "nslookup" | "whois" | "nmap" | "openssl" | "aria2c"
        | "yt-dlp" | "httpie" => Some(plain(asked, name)),
        _ => None,
    }
}

const CURL: Options = Options {
    short: "#0123456789aBfgGiIjJklLMnNOpqRsSvVZ",
    short_value: "AbcCdDeEFhHKmoPQrtTuUwxXYyz",
    short_glued: "",
    long: &[
        "silent",
        "show-error",
        "fail",
        "fail-with-body",
        "location",
        "insecure",
        "include",
        "head",
        "verbose",
        "compressed",
        "globoff",
        "get",
        "http1.1",
        "http2",
        "ipv4",
        "ipv6",
        "remote-name",
        "remote-header-name",
        "remote-name-all",
        "no-progress-meter",
        "progress-bar",
        "remote-time",
        "no-buffer",
        "netrc",
        "anyauth",
        "basic",
        "ntlm",
        "location-trusted",
        "parallel",
        "create-dirs",
        "tlsv1.2",
        "tlsv1.3",
        "path-as-is",
        "raw",
    ],
    long_value: &[
        "output",
        "output-dir",
        "data",
        "data-raw",
        "data-binary",
        "data-urlencode",
        "data-ascii",
        "json",
        "form",
        "form-string",
        "header",
        "request",
        "user",
        "user-agent",
        "referer",
        "cookie",
        "cookie-jar",
        "url",
        "max-time",
        "connect-timeout",
        "retry",
        "retry-delay",
        "retry-max-time",
        "proxy",
        "upload-file",
        "config",
        "dump-header",
        "write-out",
        "cacert",
        "cert",
        "key",
        "resolve",
        "range",
        "limit-rate",
        "trace",
        "trace-ascii",
        "stderr",
        "netrc-file",
        "unix-socket",
        "interface",
        "max-redirs",
        "ciphers",
        "oauth2-bearer",
    ],
};

fn curl(asked: &Asked<'_>) -> Facts {
    let mut facts = Facts::program();
    let mut remote_name = false;
    let mut folder = None;
    let mut addresses = Vec::new();
    for arg in read(asked.args(), &CURL, Order::Mixed) {
        match arg {
            Arg::Option("O" | "--remote-name" | "--remote-name-all", _) => remote_name = true,
            // What it is called, the other side says, or a file.
            Arg::Option("J" | "--remote-header-name" | "K" | "--config", value) => {
                facts.fill(&asked.here());
                if let Some(file) = value.filter(|value| !value.is("-")) {
                    facts.read(&file, Reach::Itself);
                }
            }
            Arg::Option(option, Some(value)) => match option {
                "o" | "--output" | "D" | "--dump-header" | "c" | "--cookie-jar" | "--trace"
                | "--trace-ascii" | "--stderr" | "--output-dir"
                    if !value.is("-") =>
                {
                    facts.write(&value, Change::Content);
                    if option == "--output-dir" {
                        facts.might(&value, UseKind::Below(Change::Content));
                        facts.fill(&value);
                        folder = Some(value);
                    } else if value.prefix().contains('#') {
                        // `#1` stands for a part of the address.
                        facts.fill(&asked.here());
                    }
                }
                "T" | "--upload-file" | "--cacert" | "--cert" | "E" | "--key" | "--netrc-file"
                    if !value.is("-") && !value.is(".") =>
                {
                    facts.read(&value, Reach::Itself);
                }
                "d" | "--data" | "--data-binary" | "--data-ascii" | "--json" | "b" | "--cookie"
                | "H" | "--header" | "w" | "--write-out" => at_file(&mut facts, &value),
                "--data-urlencode" | "F" | "--form" => form(&mut facts, &value),
                "--url" | "x" | "--proxy" => addresses.push(value),
                _ => {}
            },
            Arg::Option(_, None) => {}
            Arg::Stranger(field) => {
                if field.text().is_none() {
                    addresses.push(field.clone());
                }
            }
            Arg::Operand(field) => addresses.push(field.clone()),
        }
    }
    for address in &addresses {
        facts.connect(address);
        if address.prefix().to_ascii_lowercase().starts_with("file:/") {
            let skip = address.prefix().find("://").map_or(5, |at| at + 3);
            let skip = match address.prefix().get(skip..) {
                // `file://host/path`
                Some(rest) if !rest.starts_with('/') => skip + rest.find('/').unwrap_or(0),
                _ => skip,
            };
            facts.read(&address.tail(skip), Reach::Itself);
        }
        if remote_name {
            let file = saved_as(address);
            if let Some(file) = &file {
                facts.write(file, Change::Content);
            }
            // `{a,b}` and `[1-9]` are for several.
            let several = |file: &Field| file.prefix().contains(['{', '}', '[']);
            if folder.is_none() && file.as_ref().is_none_or(several) {
                facts.fill(&asked.here());
            }
        }
    }
    facts
}

/// `@file` as a value.
fn at_file(facts: &mut Facts, value: &Field) {
    if value.prefix().starts_with('@') && !value.is("@-") {
        facts.read(&value.tail(1), Reach::Itself);
    }
}

/// `name=@file`, `name=<file`.
fn form(facts: &mut Facts, value: &Field) {
    let prefix = value.prefix();
    if let Some(at) = prefix.find(['@', '<'])
        && (at == 0 || prefix.as_bytes().get(at - 1) == Some(&b'=') || !prefix.contains('='))
    {
        let mut file = value.tail(at + 1);
        if let Some(text) = file.text()
            && let Some(end) = text.find(';')
        {
            file = Field::made(text.get(..end).unwrap_or(""), file.span);
        }
        facts.read(&file, Reach::Itself);
    }
}

/// The file that a URL is saved under when nothing else is said, where the URL is known.
fn saved_as(address: &Field) -> Option<Field> {
    let text = address.text()?;
    let path = text.split(['?', '#']).next().unwrap_or(text);
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let name = match path.split_once('/') {
        Some((_, path)) => path.trim_end_matches('/').rsplit('/').next().unwrap_or(""),
        None => "",
    };
    let name = if name.is_empty() { "index.html" } else { name };
    Some(Field::made(name, address.span))
}

const WGET: Options = Options {
    short: "46bcdEFHhKkLmNnpqrSVvx",
    short_value: "aAeiIDlOoPQRtTUwX",
    short_glued: "",
    long: &[
        "quiet",
        "continue",
        "no-check-certificate",
        "recursive",
        "no-parent",
        "mirror",
        "spider",
        "timestamping",
        "no-verbose",
        "content-disposition",
        "show-progress",
        "no-clobber",
        "page-requisites",
        "convert-links",
    ],
    long_value: &[
        "output-document",
        "output-file",
        "directory-prefix",
        "input-file",
        "header",
        "user-agent",
        "tries",
        "timeout",
        "post-data",
        "post-file",
        "body-file",
        "user",
        "password",
        "level",
        "method",
        "body-data",
        "append-output",
        "save-cookies",
        "load-cookies",
        "progress",
    ],
};

fn wget(asked: &Asked<'_>) -> Facts {
    /// With these the names are made, or come from the other side or a file.
    const MANY: [&str; 8] = [
        "--recursive",
        "--mirror",
        "--page-requisites",
        "--content-disposition",
        "--trust-server-names",
        "--force-directories",
        "--directory-prefix",
        "--input-file",
    ];
    let mut facts = Facts::program();
    let mut named = false;
    let mut folder = None;
    let mut many = false;
    let mut addresses: Vec<&Field> = Vec::new();
    for arg in read(asked.args(), &WGET, Order::Mixed) {
        match arg {
            Arg::Option("O" | "--output-document", Some(file)) => {
                named = true;
                if !file.is("-") {
                    facts.write(&file, Change::Content);
                }
            }
            Arg::Option("P" | "--directory-prefix", Some(place)) => {
                facts.write(&place, Change::Content);
                facts.might(&place, UseKind::Below(Change::Content));
                folder = Some(place);
            }
            Arg::Option(
                "o" | "--output-file" | "a" | "--append-output" | "--save-cookies",
                Some(file),
            ) => facts.write(&file, Change::Content),
            Arg::Option("i" | "--input-file", Some(file)) => {
                many = true;
                facts.read(&file, Reach::Itself);
            }
            Arg::Option("--post-file" | "--body-file" | "--load-cookies", Some(file)) => {
                facts.read(&file, Reach::Itself);
            }
            Arg::Option("--spider", _) => named = true,
            Arg::Option("r" | "m" | "p" | "x", _) => many = true,
            Arg::Option(option, _) => many |= MANY.contains(&option),
            Arg::Stranger(field) => {
                many |= MANY.iter().any(|long| is_beginning(field.prefix(), long));
                if field.text().is_none() {
                    addresses.push(field);
                }
            }
            Arg::Operand(field) => addresses.push(field),
        }
    }
    let place = folder.clone().unwrap_or_else(|| asked.here());
    if many {
        facts.fill(&place);
    }
    for address in addresses {
        facts.connect(address);
        if named {
            continue;
        }
        if let Some(file) = saved_as(address).filter(|_| folder.is_none()) {
            facts.write(&file, Change::Content);
        }
        saved_in(&mut facts, &place, address);
    }
    facts
}

/// What `wget` has from an address comes to lie in the folder.
fn saved_in(facts: &mut Facts, folder: &Field, address: &Field) {
    let Some(file) = saved_as(address) else {
        facts.fill(folder);
        return;
    };
    // What stands behind a question mark is a part of the name.
    let whole = address.text().and_then(|text| text.rsplit('/').next());
    let whole = whole.map(|name| Field::made(name, address.span));
    for name in std::iter::once(&file).chain(&whole) {
        if let Some(inside) = files::inside(folder, name) {
            facts.fill(&inside);
        }
    }
}

/// The addresses of `socat`: programs that it starts, and files.
fn addresses(facts: &mut Facts, args: &[Field]) {
    for field in args {
        let prefix = field.prefix();
        let Some((kind, rest)) = prefix.split_once(':') else {
            continue;
        };
        let skip = kind.len() + 1;
        match kind.to_ascii_uppercase().as_str() {
            "EXEC" | "SYSTEM" | "SHELL" => {
                facts.guard();
                let command = rest.split(',').next().unwrap_or(rest);
                facts.starts(match field.text() {
                    Some(_) => Field::made(command, field.span),
                    None => field.tail(skip),
                });
            }
            "FILE" | "OPEN" | "GOPEN" | "CREATE" | "CREAT" => {
                let path = Field::made(rest.split(',').next().unwrap_or(rest), field.span);
                facts.might(&path, UseKind::Read(Reach::Itself));
                facts.might(&path, UseKind::Write(Change::Content));
            }
            _ => {}
        }
    }
}

/// The commands of a file transfer that name files here.
fn batch(facts: &mut Facts, text: &str, span: pointsman_model::Span) {
    for line in text.split(['\n', ';']) {
        let mut words = line.split_whitespace();
        let kind = match words.next() {
            Some("put" | "mput" | "reput" | "mirror") => UseKind::Read(Reach::Itself),
            Some("get" | "mget" | "reget" | "pget") => UseKind::Write(Change::Content),
            _ => continue,
        };
        let brings = !matches!(kind, UseKind::Read(_)) || line.contains("mirror");
        for word in words {
            let word = Field::made(word, span);
            facts.might(&word, kind);
            if brings {
                facts.fill(&landed(&Field::made(".", span), &word));
            }
        }
    }
}

/// Programs whose first operand that looks like one is a host.
fn plain(asked: &Asked<'_>, name: &str) -> Facts {
    let mut facts = Facts::program();
    if name == "socat" {
        addresses(&mut facts, asked.args());
    }
    if matches!(name, "ftp" | "sftp" | "lftp" | "smbclient") {
        let told = ["-c", "-e", "--command"];
        let told = told.iter().flat_map(|it| values(asked.args(), it));
        let told: Vec<Field> = told.collect();
        let texts = told.iter().filter_map(Field::text);
        for text in texts.chain(asked.called.input.text()) {
            batch(&mut facts, text, asked.called.span);
        }
    }
    match name {
        "socat" => {
            let places = asked.args().iter().filter_map(hosts::place_of_socat);
            places.for_each(|place| facts.connect(&place));
            return facts;
        }
        "openssl" => {
            let options = ["-connect", "--connect"];
            let places = options.iter().flat_map(|it| values(asked.args(), it));
            places.for_each(|place| facts.connect(&place));
            return facts;
        }
        _ => {}
    }
    let host = asked.args().iter().find(|field| {
        !field.may_be_option()
            && field
                .text()
                .is_none_or(|text| !text.bytes().all(|byte| byte.is_ascii_digit()))
    });
    if let Some(host) = host {
        facts.connect(host);
    }
    facts
}
