//! Paths through the links that the kernel shows of a process: `/proc/self/cwd`, `/proc/1/root`, `/dev/fd/3`.
//!
//! They lead elsewhere without a link being there to follow: what lies behind them is told from their text.

use pointsman_model::AbsPath;

/// The place that a path really names, for what runs in `folder`: a process's own folder and root are those of all that
/// it starts. Nothing when only the process knows: another one's folder, a file that is open.
#[must_use]
pub fn behind_process(path: AbsPath, folder: Option<&AbsPath>) -> Option<AbsPath> {
    let mut path = path;
    // Each round takes a link away from the front, or ends.
    loop {
        let text = path.as_str();
        if let Some(open) = text.strip_prefix("/dev/fd/") {
            return is_stream(open).then_some(path);
        }
        let Some((process, rest)) = text
            .strip_prefix("/proc/")
            .and_then(|it| it.split_once('/'))
        else {
            return Some(path);
        };
        let own = matches!(process, "self" | "thread-self");
        if !own && !is_number(process) {
            return Some(path);
        }
        let rest = match rest.strip_prefix("task/").and_then(|it| it.split_once('/')) {
            Some((thread, rest)) if is_number(thread) => rest,
            Some(_) | None => rest,
        };
        let (link, below) = rest.split_once('/').unwrap_or((rest, ""));
        path = match link {
            "root" => AbsPath::root().join(below),
            "cwd" if own => return Some(folder?.join(below)),
            "cwd" => return None,
            "fd" if below.is_empty() || (own && is_stream(below)) => return Some(path),
            "fd" => return None,
            _ => return Some(path),
        };
    }
}

/// What every program has open: its input, output and errors.
fn is_stream(text: &str) -> bool {
    matches!(text, "0" | "1" | "2")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expect: Option<&str>) {
        let folder = AbsPath::parse("/w/proj").unwrap();
        let found = behind_process(AbsPath::parse(path).unwrap(), Some(&folder));
        assert_eq!(found.as_ref().map(AbsPath::as_str), expect, "{path}");
    }

    #[test]
    fn the_links_of_a_process_are_looked_through() {
        for process in ["self", "thread-self", "1", "self/task/7", "1/task/1"] {
            check(&format!("/proc/{process}/root/etc/x"), Some("/etc/x"));
            check(&format!("/proc/{process}/root"), Some("/"));
            check(
                &format!("/proc/self/root/proc/{process}/root/x"),
                Some("/x"),
            );
        }
        check("/proc/self/cwd/.env", Some("/w/proj/.env"));
        check("/proc/self/root/proc/thread-self/cwd", Some("/w/proj"));
        for unknown in [
            "/proc/7/cwd/.env",
            "/dev/fd/3",
            "/dev/fd/3/x",
            "/proc/self/fd/3",
            "/proc/7/fd/1",
        ] {
            check(unknown, None);
        }
        for plain in [
            "/proc/cpuinfo",
            "/proc/self/status",
            "/proc",
            "/dev/fd",
            "/dev/fd/2",
            "/procx/1/root",
        ] {
            check(plain, Some(plain));
        }
    }
}
