//! Who does an agent's work: its script, or a model.

use std::sync::Arc;

use pointsman_agents::{
    Agent, LlmAgent, LlmRole, ModelAccess, ModelDialect, ModelSettingsError, ReplayAgent,
    StepsAgent, SubAgentChoice, Transcript, conversation_of,
};
use pointsman_ledger::{Filter, LedgerRecord, ReadError};
use pointsman_model::WorkerId;
use pointsman_process::Environment;

use super::ground::Ground;
use super::life::{Birth, Entrance};
use super::options::LeaderOptions;
use crate::job_file::{ModelWork, Work};

/// Why a model can't do the work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoModel {
    /// The leader was started without a way to models.
    #[error("this run has no way to models")]
    NoWay,
    /// The settings don't lead to it.
    #[error(transparent)]
    Settings(#[from] ModelSettingsError),
    /// What an earlier agent did can't be read.
    #[error("what {worker} did can't be read: {why}")]
    NoPast {
        /// The earlier agent.
        worker: WorkerId,
        /// Why.
        why: Box<str>,
    },
}

/// The agent that does the work it is born with.
pub(super) async fn agent_for(ground: &Ground, birth: &Birth) -> Result<Box<dyn Agent>, NoModel> {
    match &birth.work {
        Work::Replay(worker) => {
            let records = past(ground, *worker).await?;
            let transcript = Transcript::of(&records, *worker);
            if transcript.calls.is_empty() {
                return Err(no_past(*worker, "it asked for no call"));
            }
            Ok(Box::new(ReplayAgent::new(transcript)))
        }
        Work::Steps(steps) => Ok(Box::new(StepsAgent::new(Arc::clone(steps)))),
        Work::Model(model) => {
            let client = client(ground.models.as_ref(), model)?;
            let role = LlmRole {
                instructions: model.settings.instructions.as_deref().unwrap_or("").into(),
                sub_agents: sub_agents(ground, birth),
            };
            let limits = model.settings.limits();
            let agent = match birth.resumes {
                None => LlmAgent::new(client, role, limits, &birth.task),
                Some(worker) => {
                    let before = conversation_of(&past(ground, worker).await?, worker);
                    if before.turns.is_empty() {
                        return Err(no_past(worker, "it had no conversation"));
                    }
                    LlmAgent::resumed(client, role, limits, before.turns, &birth.task)
                }
            };
            let agent = match birth.entrance {
                Entrance::New => agent,
                Entrance::Again => {
                    let worker = birth.frozen.context.parts().lineage.agent().worker;
                    agent.again(conversation_of(&past(ground, worker).await?, worker))
                }
            };
            Ok(Box::new(agent.heard_by(ground.said.clone())))
        }
    }
}

/// The records of an earlier agent. Its run's leader may be this one: then they are read as far as they go.
async fn past(ground: &Ground, worker: WorkerId) -> Result<Vec<LedgerRecord>, NoModel> {
    let ledger = ground.ledger.clone();
    // What this run's own records are was checked when its leader began (law 23).
    let is_other = worker.run() != ground.run;
    let reading = tokio::task::spawn_blocking(move || {
        let reader = ledger.reader()?;
        if is_other && !reader.unknown_of_run(worker.run())?.is_empty() {
            return Ok(None);
        }
        let filter = Filter {
            worker: Some(worker),
            ..Filter::of_run(worker.run())
        };
        let list = reader.records(&filter)?;
        Ok::<_, ReadError>(list.unreadable.is_empty().then_some(list.records))
    });
    match reading.await {
        Ok(Ok(Some(records))) => Ok(records),
        Ok(Ok(None)) => Err(no_past(
            worker,
            "records of its run are not as they were written; `pointsman log verify` tells which",
        )),
        Ok(Err(error)) => Err(no_past(worker, &error.to_string())),
        Err(error) => Err(no_past(worker, &error.to_string())),
    }
}

fn no_past(worker: WorkerId, why: &str) -> NoModel {
    NoModel::NoPast {
        worker,
        why: why.into(),
    }
}

/// The agents it may start, with what the job file says of them.
fn sub_agents(ground: &Ground, birth: &Birth) -> Vec<SubAgentChoice> {
    if birth.frozen.context.parts().depth_left == 0 {
        return Vec::new();
    }
    let mut choices: Vec<SubAgentChoice> = ground
        .agents
        .iter()
        .map(|entry| SubAgentChoice {
            name: entry.key().as_str().into(),
            description: entry.value().description.clone(),
        })
        .collect();
    choices.sort_by(|one, other| one.name.cmp(&other.name));
    choices
}

fn client(
    models: Option<&ModelAccess>,
    model: &ModelWork,
) -> Result<pointsman_llm::Client, NoModel> {
    let models = models.ok_or(NoModel::NoWay)?;
    Ok(models.client(&model.settings, &model.spending)?)
}

/// The environment of what agents start: without the keys of models, whatever their variables are called, and without
/// those that a model of a file that joins later would have by itself.
pub(super) fn without_keys(options: &LeaderOptions) -> Environment {
    let keys = options.job_file.key_variables();
    let usual = ModelDialect::ALL.map(ModelDialect::key_variable);
    let all = keys.chain(usual);
    all.fold(options.environment.clone(), Environment::without)
}

/// A variable with a model's key of a file that joined a run which did not know of it: what agents start would see it, or
/// records would hold it.
pub(super) fn key_not_withheld(options: &LeaderOptions) -> Option<String> {
    let environment = &options.environment;
    let not_withheld =
        |key: &&str| environment.get(key).is_some() || environment.withholds_by_looks_alone(key);
    let mut keys = options.job_file.key_variables();
    keys.find(not_withheld).map(str::to_owned)
}

/// Looks whether each model of the job file can be reached as far as that can be told without asking it.
///
/// # Errors
/// For the first that can't: no key, no address.
pub(super) fn check_models(options: &LeaderOptions) -> Result<(), NoModel> {
    for model in options.job_file.models() {
        drop(client(options.models.as_ref(), model)?);
    }
    Ok(())
}
