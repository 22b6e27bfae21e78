//! Law 5 for commands in arguments: whatever has a program start a command, the command is listed.

use pointsman_model::RunNature;

use super::laws::{DENIED, SPELLINGS, at, is_opaque, is_seen, named, runs};
use crate::analyse;

/// Options and operands that have a command for their value; `X` stands in its place, quoted.
const CARRIERS: [&str; 105] = [
    "ssh -o ProxyCommand='X' h",
    "ssh -oProxyCommand='X' h",
    "ssh -o 'LocalCommand X' h",
    "scp -S 'X' a h:b",
    "sftp -o ProxyCommand='X' h",
    "rsync -ae 'X' a h:b",
    "rsync --rsh='X' a h:b",
    "rsync --rsync-path 'X' a h:b",
    "tar xf a --to-command 'X'",
    "tar cf a b --checkpoint=1 --checkpoint-action=exec='X'",
    "tar -I'X' -cf a b",
    "tar cIf 'X' a b",
    "tar --use-compress='X' -cf a b",
    "tar --rsh-command='X' -cf h:a b",
    "sed '1e X' f",
    "sed -n -e p -e 'e X' f",
    "sed 's/.*/X/e' f",
    "man -P 'X' ls",
    "man --pager='X' ls",
    "make SHELL='X'",
    "make CC='X'",
    "make --eval 'a:;X'",
    "make --eval='$(shell X)'",
    "make -f - <<< 'a:;X'",
    "rg --pre='X' p",
    "sort --compress-program 'X' f",
    "split --filter='X' f",
    "zip a f -T -TT 'X'",
    "tmux new -d 'X'",
    "tmux send-keys -t 0 'X' Enter",
    "tmux split-window 'X'",
    "screen -dm X",
    "screen -X stuff 'X'",
    "direnv exec . X",
    "nix-shell -p a --run 'X'",
    "nix develop -c X",
    "cargo watch -s 'X'",
    "ip netns exec n X",
    "capsh --drop=all -- -c 'X'",
    "unshare -r X",
    "nsenter -t 1 -m X",
    "complete -C 'X' y",
    "compgen -W '$(X)' y",
    "bind -x '\"a\": X'",
    "mapfile -tC 'X' -c 1 y",
    "git -c core.pager='X' log",
    "git -c alias.y='!X' y",
    "git -c core.sshCommand='X' fetch",
    "git -c diff.external='X' diff",
    "git bisect run X",
    "git rebase -x 'X' main",
    "git rebase -ix 'X' main",
    "git submodule foreach 'X'",
    "git submodule foreach --recursive X",
    "xargs git submodule foreach 'X'",
    "git filter-branch --env-filter 'X' HEAD",
    "git grep -O'X' p",
    "git fetch --upload-pack='X' .",
    "git ls-remote --upload-pack 'X' .",
    "git clone -c core.sshCommand='X' h:y",
    "git clone 'ext::X'",
    "vim -c '!X' f",
    "vim -c ':silent! !X' f",
    "ex -s f <<< '!X'",
    "printf '!X\\n' | ed f",
    "less '+!X' f",
    "awk 'BEGIN{system(\"X\")}'",
    "awk '{print | \"X\"}' f",
    "awk 'BEGIN{c=\"X\"; system(c)}'",
    "gdb -batch -ex 'shell X'",
    "gdb -ex '!X'",
    "python3 -c 'import os; os.system(\"X\")'",
    "perl -e 'system(\"X\")'",
    "ruby -e '`X`'",
    "node -e 'execSync(\"X\")'",
    "env -S 'X'",
    "env --split-string='X'",
    "parallel ::: 'X'",
    "ls | entr -s 'X'",
    "fd . -x X",
    "flock f -c 'X'",
    "script -qc 'X' f",
    "sudo -s <<< 'X'",
    "docker run --rm -it -v a:b -w /c -e D=e -e F=g --name n --network host i X",
    "kubectl exec p -c c -- X",
    "npx -c 'X'",
    "npm exec -- X",
    "pnpm dlx X",
    "uvx X",
    "start-stop-daemon -S -x X",
    "systemd-run --user --scope X",
    "at now <<< 'X'",
    "echo '* * * * * X' | crontab -",
    "apt-get -o APT::Update::Pre-Invoke::='X' update",
    "dpkg --pre-invoke='X' -i a",
    "wget --use-askpass='X' http://h",
    "nc -e 'X' h 1",
    "socat - SYSTEM:'X'",
    "psql -c '\\! X'",
    "sqlite3 a.db '.shell X'",
    "hyperfine --prepare 'X' ls",
    "watchexec -w src 'X'",
    "nodemon --exec 'X'",
    "gh alias set y '!X'",
    "concurrently 'X' ls",
];

#[test]
fn law_5_no_argument_hides_a_command() {
    for words in DENIED {
        let plain = named(words, "N");
        for carrier in CARRIERS {
            let line = carrier.replace('X', &plain);
            assert!(is_seen(&line, words), "{line:?}\n{}", analyse(&line, &at()));
            // What stands in front of a pipe feeds it.
            let whole = !carrier.contains('|');
            for outer in SPELLINGS.iter().step_by(7).filter(|_| whole) {
                let line = outer.replace('X', &line);
                if !line.contains("((") && line.matches('`').count() < 3 {
                    assert!(is_seen(&line, words), "{line:?}\n{}", analyse(&line, &at()));
                }
            }
        }
    }
}

/// Lines in which one of those options has a value that a rule for the program covers, or none has.
#[test]
fn usual_values_keep_a_program_a_program() {
    for line in [
        "rsync -ae ssh a h:b",
        "rsync -e 'ssh -p 22' a h:b",
        "tar -I zstd -cf a b",
        "man -P cat ls",
        "make CC=gcc",
        "make SHELL=/bin/bash",
        "git -c user.name=x commit -m y",
        "git clone h:y",
        "docker run --entrypoint sh i",
        "vim f",
        "curl -o f http://h",
        "tar czf a b",
        "apt-get -o Dpkg::Use-Pty=0 install y",
    ] {
        let analysis = analyse(line, &at());
        let loud = runs(&analysis).any(|(run, _)| run.nature == RunNature::Wrapper);
        assert!(!loud && !is_opaque(&analysis), "{line}\n{analysis}");
    }
}
