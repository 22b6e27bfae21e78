//! Programs that pack, publish, deploy or back up what lies in a folder.

use super::{Named, Operands, operands, trees, within};

const PACKAGES: &[&str] = &["npm", "pnpm", "yarn", "bun"];

pub(super) static NAMED: &[Named] = &[
    within(&["publish", "pack"], operands(PACKAGES, Operands::Folder)),
    within(
        &["publish", "package"],
        operands(&["cargo", "vsce", "ovsx"], Operands::Folder),
    ),
    within(
        &["publish"],
        operands(
            &["poetry", "flit", "pdm", "maturin", "lerna", "jsr", "deno"],
            Operands::Folder,
        ),
    ),
    within(
        &["push", "upload"],
        operands(&["gem", "twine", "uv", "hatch"], Operands::Carried),
    ),
    within(&["publish"], operands(&["uv", "hatch"], Operands::Carried)),
    within(
        &["install", "wheel", "download"],
        operands(&["pip", "pip3", "pipx", "uv"], Operands::Places),
    ),
    within(
        &["package", "install", "upgrade", "template", "lint", "push"],
        operands(&["helm"], Operands::Places),
    ),
    within(
        &["deploy", "up", "publish", "submit", "--prod", "upload"],
        operands(
            &[
                "vercel",
                "netlify",
                "firebase",
                "wrangler",
                "fly",
                "flyctl",
                "surge",
                "railway",
                "serverless",
                "sls",
                "sam",
                "eb",
                "amplify",
                "gcloud",
                "now",
                "render",
                "modal",
            ],
            Operands::Folder,
        ),
    ),
    operands(&["surge"], Operands::Folder),
    within(
        &["up", "build", "create", "deploy"],
        operands(&["az"], Operands::Places),
    ),
    within(
        &["backup", "create", "snapshot", "full", "incremental"],
        operands(
            &["restic", "borg", "kopia", "duplicity", "bup", "tarsnap"],
            Operands::Carried,
        ),
    ),
    operands(&["rdiff-backup", "tarsnap", "unison"], Operands::Carried),
    within(
        &["send", "upload", "tx", "share"],
        operands(
            &[
                "croc",
                "wormhole",
                "magic-wormhole",
                "ffsend",
                "transfer",
                "dropbox",
                "slackcat",
                "ipfs",
                "onionshare-cli",
            ],
            Operands::Carried,
        ),
    ),
    within(&["add"], operands(&["ipfs"], Operands::Carried)),
    within(
        &["copyto", "moveto"],
        operands(&["rclone"], Operands::CopyToLast),
    ),
    within(&["bisync"], operands(&["rclone"], Operands::Carried)),
    within(
        &["cp", "mv", "copy", "sync"],
        operands(&["s5cmd", "azcopy"], Operands::CopyToLast),
    ),
    trees(
        &["kubectl", "oc", "kustomize"],
        &["--from-file", "-k", "--kustomize", "-f", "--filename"],
    ),
    trees(&["aws", "az"], &["--source", "-s", "-f"]),
    trees(&["oc"], &["--from-dir"]),
    trees(&["pack", "kaniko", "s2i"], &["--path", "--context", "-p"]),
    within(
        &["build", "upload", "upload-file"],
        operands(
            &[
                "skaffold", "ko", "img", "s2i", "nixpacks", "depot", "earthly", "b2",
            ],
            Operands::Folder,
        ),
    ),
    within(
        &["mount", "transfer", "copy"],
        operands(&["multipass", "minikube", "limactl"], Operands::Carried),
    ),
    within(&["import"], operands(&["svn"], Operands::Folder)),
    within(&["-run"], operands(&["ruby"], Operands::Tree)),
    within(&["file-server"], operands(&["caddy"], Operands::Tree)),
    trees(&["caddy", "darkhttpd", "httpd"], &["--root", "-h"]),
    trees(
        &["netlify", "gcloud", "az"],
        &["--dir", "--source", "--src"],
    ),
];
