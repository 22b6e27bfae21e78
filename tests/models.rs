//! Scripted models for the tests: a server on loopback, for as long as it is held.

use std::process::Command;

use pointsman_testkit::{AnthropicReply, Heard, ModelAnswer, ModelServer};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::ground::{Ended, Project};

/// A key that must turn up nowhere.
pub(crate) const KEY: &str = "sk-secret-0123456789";

/// A model's server.
pub(crate) struct Model {
    pub(crate) server: ModelServer,
    _runtime: Runtime,
}

impl Model {
    pub(crate) fn answering(script: impl FnMut(&Heard) -> ModelAnswer + Send + 'static) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let server = runtime.block_on(ModelServer::answering(script)).unwrap();
        Self {
            server,
            _runtime: runtime,
        }
    }

    /// One that says these, one after the other, and then that it is done.
    pub(crate) fn saying(replies: Vec<AnthropicReply>) -> Self {
        let mut left = replies.into_iter();
        Self::answering(move |_| {
            let reply = left
                .next()
                .unwrap_or_else(|| AnthropicReply::text("that is all"));
            reply.streamed()
        })
    }

    /// The bodies that it was sent, in order.
    pub(crate) fn heard(&self) -> Vec<Value> {
        self.server.heard().iter().map(Heard::json).collect()
    }

    /// Runs the project's job file with this server in the place of the maker's.
    pub(crate) fn run(&self, project: &Project, more: &[&str]) -> Ended {
        let mut command = project.command(["run", "job.toml", "--json"]);
        command
            .args(more)
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", self.server.url());
        ended(&mut command)
    }
}

/// Runs a command to its end.
pub(crate) fn ended(command: &mut Command) -> Ended {
    let output = command.output().unwrap();
    Ended {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
