//! Hosts that the arguments of a program name, whatever else it does: addresses with a scheme, and options and operands of
//! known clients. Possibilities alone, for rules that deny and ask.

use pointsman_model::EffectView;

use super::carriers::values;
use super::known::Tables;
use super::{Asked, Use, UseKind};
use crate::field::{Field, Shape};
use crate::state::Value;
use crate::walk::Called;

/// Options whose value is a host, or several with ports between them.
pub(super) const OPTIONS: [(&[&str], &[&str]); 13] = [
    (
        &[
            "psql",
            "pg_dump",
            "pg_dumpall",
            "pg_restore",
            "pg_isready",
            "createdb",
            "dropdb",
            "mysql",
            "mariadb",
            "mysqldump",
            "mysqladmin",
            "mongo",
            "mongosh",
            "mongodump",
            "mongorestore",
            "redis-cli",
            "clickhouse-client",
            "mosquitto_pub",
            "mosquitto_sub",
            "ldapsearch",
        ],
        &["-h", "--host"],
    ),
    (&["sqlcmd"], &["-S", "--server"]),
    (
        &["openssl"],
        &[
            "-connect",
            "-host",
            "-proxy",
            "--connect",
            "--host",
            "--proxy",
        ],
    ),
    (
        &["curl"],
        &[
            "--resolve",
            "--connect-to",
            "--proxy",
            "-x",
            "--preproxy",
            "--proxy1.0",
            "--socks4",
            "--socks4a",
            "--socks5",
            "--socks5-hostname",
            "--doh-url",
        ],
    ),
    (&["ssh", "scp", "sftp", "mosh", "autossh", "sshfs"], &["-J"]),
    (&["docker", "podman"], &["-H", "--host", "--url"]),
    (&["kubectl", "oc"], &["-s", "--server"]),
    (&["pip", "pip3", "uv"], &["--trusted-host", "--proxy"]),
    (
        &["npm", "pnpm", "yarn"],
        &["--registry", "--proxy", "--https-proxy"],
    ),
    (&["etcdctl"], &["--endpoints"]),
    (&["kcat", "kafkacat"], &["-b"]),
    (&["influx"], &["-host", "--host"]),
    (&["nats"], &["-s", "--server"]),
];

/// Clients that connect to what an address among their arguments says.
pub(super) const CLIENTS: [&str; 24] = [
    "aria2c",
    "bun",
    "bundle",
    "cargo",
    "composer",
    "conda",
    "deno",
    "docker",
    "gem",
    "go",
    "helm",
    "npm",
    "npx",
    "pip",
    "pip3",
    "pipx",
    "pnpm",
    "podman",
    "poetry",
    "psql",
    "redis-cli",
    "uv",
    "websocat",
    "yarn",
];

/// Clients whose operands are hosts.
pub(super) const TO_OPERANDS: [&str; 7] = [
    "cqlsh",
    "grpcurl",
    "rlogin",
    "rsh",
    "ssh-copy-id",
    "ssh-keyscan",
    "vncviewer",
];

/// The hosts that a command names.
pub(super) fn uses(called: &Called<'_>, name: &str, known: &Tables) -> Vec<Use> {
    let mut found = Vec::new();
    let args = called.args();
    // Others may take an address for text.
    let view = match known.connects {
        true => EffectView::Might,
        false => EffectView::Guessed,
    };
    for field in args {
        address(&mut found, field, view);
    }
    for option in known.host_options {
        for value in values(args, option) {
            hosts(&mut found, &value);
        }
    }
    match name {
        "ssh" | "scp" | "sftp" | "mosh" | "autossh" | "sshfs" | "rsync" => {
            for setting in values(args, "-o") {
                setting_of_ssh(&mut found, &setting);
            }
        }
        "socat" => args.iter().for_each(|field| of_socat(&mut found, field)),
        "go" | "docker" | "podman" | "nerdctl" | "buildah" | "skopeo" | "crane" => {
            args.iter()
                .for_each(|field| first_of_path(&mut found, field));
        }
        "psql" | "pg_dump" | "pg_dumpall" | "pg_restore" | "pg_isready" => {
            for field in args {
                let glued = field.prefix().strip_prefix("--dbname=");
                let skip = glued.map_or(0, |_| "--dbname=".len());
                of_connection(&mut found, &field.tail(skip));
            }
        }
        "wget" | "wget2" => {
            for setting in ["-e", "--execute"].iter().flat_map(|it| values(args, it)) {
                setting_of_wget(&mut found, &setting);
            }
        }
        "openssl" if args.first().is_some_and(|it| it.is("s_client")) => {
            let last = args.last().filter(|field| field.prefix().contains(':'));
            last.into_iter().for_each(|field| hosts(&mut found, field));
        }
        _ if known.to_operands => {
            let operands = args.iter().filter(|field| !field.may_be_option());
            operands.for_each(|field| hosts(&mut found, field));
        }
        _ => {}
    }
    found
}

/// The hosts that exported variables tell a program of, which is no known reader.
pub(super) fn exported(asked: &Asked<'_>, known: &Tables) -> Vec<Use> {
    let mut found = Vec::new();
    let span = asked.called.span;
    for (name, value) in asked.state.exported() {
        let is_host = names_a_host(name);
        // A bare `HOST` is mostly where a server listens.
        let of_client = is_host && !matches!(name, "HOST" | "SERVER" | "ENDPOINT");
        if matches!(value, Value::Unknown | Value::Among(_)) && of_client && known.connects {
            let field = Field {
                known: crate::expand::unknown("", Shape::One),
                ..Field::made(name, span)
            };
            connect(&mut found, field, EffectView::Might);
        }
        let (Value::Texts(texts) | Value::Among(texts)) = value else {
            continue;
        };
        for text in texts {
            let field = Field::made(text, span);
            // A folder is one of a socket.
            if is_host && !text.starts_with('/') {
                hosts(&mut found, &field);
            } else {
                address(&mut found, &field, EffectView::Guessed);
            }
        }
    }
    found
}

/// Whether a variable of that name says where a program connects to: `PGHOST`, `MYSQL_HOST`, `https_proxy`.
fn names_a_host(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let ends = [
        "HOST", "HOSTADDR", "HOSTNAME", "PROXY", "SERVER", "ENDPOINT",
    ];
    !matches!(&*upper, "NO_PROXY" | "HOSTNAME") && ends.iter().any(|end| upper.ends_with(end))
}

/// `host=x dbname=y`, as clients of PostgreSQL take it: with blanks around the sign, values in quotes, and signs behind a
/// backslash in both. Text that can't be read so names whatever stands behind a `host=` in it.
fn of_connection(found: &mut Vec<Use>, field: &Field) {
    let text = field.prefix();
    if !text.contains('=') {
        return;
    }
    let whole = field.text().is_some();
    let Some(pairs) = pairs_of_connection(text) else {
        let of_host = text.split("host=").skip(1);
        let behind = of_host.chain(text.split("hostaddr=").skip(1));
        for value in behind {
            let end = value.find(|char: char| char.is_whitespace() || char == '\'');
            let value = value.get(..end.unwrap_or(value.len())).unwrap_or(value);
            hosts(found, &Field::made(value, field.span));
        }
        return;
    };
    for (at, (key, value)) in pairs.iter().enumerate() {
        if !matches!(&**key, "host" | "hostaddr") {
            continue;
        }
        match whole || at + 1 < pairs.len() {
            true => hosts(found, &Field::made(value, field.span)),
            false => connect(found, field.clone(), EffectView::Might),
        }
    }
    // What nobody knows of it may hold more of them.
    let is_connection = pairs.iter().any(|(key, _)| OF_CONNECTION.contains(&&**key));
    let told = pairs.last().is_some_and(|(key, _)| key.starts_with("host"));
    if !whole && is_connection && !told {
        connect(found, field.clone(), EffectView::Might);
    }
}

/// Keys that stand in such texts and hardly anywhere else.
const OF_CONNECTION: [&str; 9] = [
    "dbname", "host", "hostaddr", "passfile", "password", "port", "service", "sslmode", "user",
];

/// Its keys and values; nothing where a key is none.
fn pairs_of_connection(text: &str) -> Option<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let Some((key, behind)) = rest.split_once('=') else {
            break;
        };
        let key = key.trim_end();
        if !key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        {
            return None;
        }
        let behind = behind.trim_start();
        let quoted = behind.strip_prefix('\'');
        let mut chars = quoted.unwrap_or(behind).chars();
        let mut value = String::new();
        while let Some(char) = chars.next() {
            match char {
                '\\' => value.extend(chars.next()),
                '\'' if quoted.is_some() => break,
                blank if blank.is_whitespace() && quoted.is_none() => break,
                plain => value.push(plain),
            }
        }
        pairs.push((key.to_owned(), value));
        rest = chars.as_str().trim_start();
    }
    Some(pairs)
}

/// `-e https_proxy=host`, where blanks around the name, the case of its letters, dashes and underscores count for nothing.
fn setting_of_wget(found: &mut Vec<Use>, setting: &Field) {
    let Some((key, value)) = setting.prefix().split_once('=') else {
        return;
    };
    let key: String = key
        .trim()
        .chars()
        .filter(|char| !matches!(char, '-' | '_'))
        .collect();
    let key = key.to_ascii_lowercase();
    if matches!(&*key, "httpproxy" | "httpsproxy" | "ftpproxy") {
        let skip = setting.prefix().len() - value.trim_start().len();
        hosts(found, &setting.tail(skip));
    }
}

fn connect(found: &mut Vec<Use>, field: Field, view: EffectView) {
    found.push(Use {
        field,
        kind: UseKind::Connect,
        view,
    });
}

/// `scheme://host`, also as the value of an option or behind a name (`x@git+https://…`).
fn address(found: &mut Vec<Use>, field: &Field, view: EffectView) {
    let prefix = field.prefix();
    let Some(at) = prefix.find("://") else {
        return;
    };
    let front = prefix.get(..at).unwrap_or("");
    let is_text = view == EffectView::Guessed && prefix.contains(char::is_whitespace);
    if front.ends_with("file") || is_text {
        return;
    }
    connect(found, field.tail(at + 3).until(&[' ', '\t', '\n']), view);
}

/// The hosts in a value: `host`, `user@host:port`, `a,b`, `name:port:address`.
fn hosts(found: &mut Vec<Use>, value: &Field) {
    let Some(text) = value.text() else {
        connect(found, value.clone(), EffectView::Might);
        return;
    };
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    for part in text.split([',', ':', '[', ']']) {
        let part = part.rsplit('@').next().unwrap_or(part);
        if part.contains(|char: char| char.is_alphabetic() || char == '.') {
            connect(found, Field::made(part, value.span), EffectView::Might);
        }
    }
}

/// `-o HostName=x`, `-o 'ProxyJump x'`
fn setting_of_ssh(found: &mut Vec<Use>, setting: &Field) {
    let Some((key, _)) = setting.prefix().split_once(['=', ' ']) else {
        return;
    };
    if ["hostname", "proxyjump"]
        .iter()
        .any(|it| key.eq_ignore_ascii_case(it))
    {
        hosts(found, &setting.tail(key.len() + 1));
    }
}

fn of_socat(found: &mut Vec<Use>, field: &Field) {
    if let Some(place) = place_of_socat(field) {
        match place.text() {
            Some(_) => hosts(found, &place),
            None => connect(found, place, EffectView::Might),
        }
    }
}

/// What `TCP:host:80` and `SOCKS4:proxy:host:80` connect to.
pub(super) fn place_of_socat(field: &Field) -> Option<Field> {
    const KINDS: [&str; 9] = [
        "TCP", "UDP", "SCTP", "SSL", "OPENSSL", "DTLS", "SOCKS", "PROXY", "IP",
    ];
    let (kind, _) = field.prefix().split_once(':')?;
    let upper = kind.to_ascii_uppercase();
    let connects = KINDS.iter().any(|it| upper.starts_with(it)) && !upper.contains("LISTEN");
    connects.then(|| field.tail(kind.len() + 1).until(&[',']))
}

/// `host.name/path`: a module, or an image and the registry that it is from.
fn first_of_path(found: &mut Vec<Use>, field: &Field) {
    let text = field.prefix();
    let (host, _) = text.split_once('/').unwrap_or((text, ""));
    let bare = host.split(':').next().unwrap_or(host);
    let is_host = bare.contains('.')
        && !bare.starts_with(['.', '-'])
        && bare
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    if is_host && (text.len() > host.len() || field.text().is_some()) {
        connect(found, Field::made(bare, field.span), EffectView::Might);
    }
}
