//! Hosts that the arguments of a program name, whatever else it does: addresses with a scheme, and options and operands of
//! known clients. Possibilities alone, for rules that deny and ask.

use pointsman_model::EffectView;

use super::carriers::values;
use super::{Use, UseKind};
use crate::field::Field;
use crate::walk::Called;

/// Options whose value is a host, or several with ports between them.
const OPTIONS: [(&[&str], &[&str]); 13] = [
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
    (&["openssl"], &["-connect", "-host", "-proxy"]),
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
const CLIENTS: [&str; 24] = [
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
const TO_OPERANDS: [&str; 7] = [
    "cqlsh",
    "grpcurl",
    "rlogin",
    "rsh",
    "ssh-copy-id",
    "ssh-keyscan",
    "vncviewer",
];

/// The hosts that a command names.
pub(super) fn uses(called: &Called<'_>, name: &str) -> Vec<Use> {
    let mut found = Vec::new();
    let args = called.args();
    // Others may take an address for text.
    let view = if CLIENTS.contains(&name) {
        EffectView::Might
    } else {
        EffectView::Guessed
    };
    for field in args {
        address(&mut found, field, view);
    }
    let options = OPTIONS.iter().filter(|(names, _)| names.contains(&name));
    for option in options.flat_map(|(_, options)| *options) {
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
        _ if TO_OPERANDS.contains(&name) => {
            let operands = args.iter().filter(|field| !field.may_be_option());
            operands.for_each(|field| hosts(&mut found, field));
        }
        _ => {}
    }
    if matches!(name, "psql" | "pg_dump" | "pg_restore") {
        // `host=x dbname=y`
        for field in args {
            let words = field.text().unwrap_or_default().split_whitespace();
            for host in words.filter_map(|word| word.strip_prefix("host=")) {
                hosts(&mut found, &Field::made(host, field.span));
            }
        }
    }
    found
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

/// `TCP:host:80`, `SOCKS4:proxy:host:80`
fn of_socat(found: &mut Vec<Use>, field: &Field) {
    const KINDS: [&str; 9] = [
        "TCP", "UDP", "SCTP", "SSL", "OPENSSL", "DTLS", "SOCKS", "PROXY", "IP",
    ];
    let Some((kind, rest)) = field.prefix().split_once(':') else {
        return;
    };
    let upper = kind.to_ascii_uppercase();
    if KINDS.iter().any(|it| upper.starts_with(it)) && !upper.contains("LISTEN") {
        let end = rest.find(',').unwrap_or(rest.len());
        match field.text() {
            Some(_) => hosts(
                found,
                &Field::made(rest.get(..end).unwrap_or(""), field.span),
            ),
            None => connect(found, field.tail(kind.len() + 1), EffectView::Might),
        }
    }
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
