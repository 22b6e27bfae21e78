//! Which lines earn which tags, and which do not.

use pointsman_model::AbsPath;

use super::*;
use crate::{NameCase, Surroundings, analyse};

/// The tags of a line's commands, each once, in their order.
fn tags(line: &str) -> Vec<RiskTag> {
    let home = AbsPath::parse("/home/me").unwrap();
    let at = Surroundings {
        folder: home.join("p"),
        home,
        case: NameCase::Counts,
    };
    let effects = analyse(line, &at).effects;
    let mut tags: Vec<RiskTag> = effects
        .list
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Run(run) => Some(run.risks.iter().map(|risk| risk.tag)),
            _ => None,
        })
        .flatten()
        .collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

#[test]
fn what_is_removed_elsewhere_or_by_code_is_destructive() {
    for line in [
        "git push origin :main",
        "git push origin +main",
        "git push --delete origin main",
        "git push --force-with-lease=main:abc origin main",
        "git -C x push origin :main",
        "aws s3 rm s3://x --recursive",
        "aws --profile p s3 sync . s3://x --delete",
        "aws ec2 terminate-instances --instance-ids i-1",
        "gh repo delete me/x --yes",
        "gh api -X DELETE /repos/me/x",
        "gcloud compute instances delete vm",
        "curl -XDELETE https://example.com/x",
        "psql -c 'DROP TABLE x'",
        "sqlite3 a.db 'delete from x'",
        "python3 -c \"import shutil; shutil.rmtree('x')\"",
        "node -e \"fs.rmSync('x')\"",
        "> conf.txt",
    ] {
        assert!(tags(line).contains(&RiskTag::Destructive), "{line}");
    }
    for line in [
        "git push origin main:main",
        "git push -u origin feature",
        "aws s3 ls s3://x",
        "gh pr create --title x",
        "gh repo view me/x",
        "psql -c 'select 1'",
        "python3 -c 'print(1)'",
        "echo x >> notes.txt",
        ">> notes.txt",
        "echo delete",
    ] {
        assert!(!tags(line).contains(&RiskTag::Destructive), "{line}");
    }
}

#[test]
fn work_that_is_lost_and_what_is_published_is_destructive() {
    for line in [
        "git checkout -- .",
        "git checkout .",
        "git checkout HEAD~1 -- src/a.rs",
        "git restore src/a.rs",
        "git restore --source HEAD~2 .",
        "git switch --discard-changes main",
        "git stash drop",
        "git -C x stash clear",
        "git reflog expire --all",
        "git tag -d v1",
        "git worktree remove ../x",
        "cp /dev/null notes.txt",
        "npm publish",
        "npm --access public publish",
        "cargo publish -p x",
        "twine upload dist/x.whl",
        "kill -9 1",
        "kill -9 -1",
        "shutdown -h now",
    ] {
        assert!(tags(line).contains(&RiskTag::Destructive), "{line}");
    }
    for line in [
        "git checkout main",
        "git checkout -b feature/x",
        "git switch main",
        "git restore --staged a.rs",
        "git branch -d merged",
        "kill -1 4711",
        "kill -s 1 4711",
        "git stash",
        "git stash pop",
        "git stash list",
        "git tag v1",
        "git branch feature",
        "git log -- x",
        "git remote -v",
        "cp a.txt b.txt",
        "npm run build",
        "cargo build",
        "kill 4711",
        "kill %1",
        "cargo test publish",
        "cargo run -- publish",
        "npm run publish",
        "npm test -- publish",
    ] {
        assert!(!tags(line).contains(&RiskTag::Destructive), "{line}");
    }
}

#[test]
fn what_runs_later_is_told_and_sources_of_that_name_are_not() {
    for line in [
        "echo x >> ~/.bashrc",
        "cp x .git/hooks/pre-commit",
        "cp x /srv/bare.git/hooks/update",
        "cp x .husky/pre-push",
        "systemctl --user enable x",
        "launchctl load x.plist",
        "crontab jobs",
    ] {
        assert!(tags(line).contains(&RiskTag::Persistence), "{line}");
    }
    for line in [
        "sed -i s/a/b/ src/hooks/useX.ts",
        "touch web/hooks/x.ts",
        "systemctl status x",
        "systemctl restart x",
    ] {
        assert!(!tags(line).contains(&RiskTag::Persistence), "{line}");
    }
}
