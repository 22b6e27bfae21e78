//! The classifier and the explainer, as the person's own or the managed settings name them.

use std::sync::Arc;

use pointsman_agents::{
    BudgetSettings, ModelAccess, ModelDialect, ModelSettings, ModelSettingsError, PriceSettings,
};
use pointsman_gate::{
    Classifier, ClassifierGuidance, ClassifierOutOfReach, Explainer, HookPlace, ModelClassifier,
    ProgramClassifier, command_that_cant_start,
};
use pointsman_ledger::Clock;
use pointsman_llm::Limits;
use pointsman_model::{AbsPath, Attended};
use pointsman_policy::DiskTree;
use pointsman_policy::settings::ModelDialect as Spoken;
use pointsman_policy::settings::{
    Amount, ClassifierBy, ClassifierSettings, GuidanceSettings, Loaded, ModelSetting,
    PointsmanSettings,
};
use pointsman_process::Environment;

use crate::place::Place;

/// Who judges and explains beside people, and what is to be said of those that can't.
pub(super) struct Judges {
    pub(super) classifier: Option<Arc<dyn Classifier>>,
    pub(super) explainer: Option<Explainer>,
    /// What is wrong with them, a line each. The run goes on: without them more is asked, nothing less.
    pub(super) remarks: Vec<String>,
}

/// The judges that these settings name.
pub(super) fn judges(
    settings: &PointsmanSettings,
    models: &ModelAccess,
    place: &HookPlace,
    clock: &Arc<dyn Clock>,
) -> Judges {
    let mut remarks = Vec::new();
    if let Some(ClassifierBy::Program { command }) = settings.classifier.as_ref().map(|it| &it.by)
        && let Some(fault) = command_that_cant_start(command, place)
    {
        remarks.push(format!(
            "the classifier can't be asked, so people are: {fault}; mend its `command` in your settings"
        ));
    }
    let classifier = settings.classifier.as_ref().map(|settings| {
        classifier(settings, models, &place.project, clock).unwrap_or_else(|(name, error)| {
            remarks.push(format!(
                "the classifier `{name}` can't be asked, so people are: {error}"
            ));
            let out_of_reach = ClassifierOutOfReach::new(&name, &error.to_string());
            Arc::new(out_of_reach) as Arc<dyn Classifier>
        })
    });
    let explainer = settings.explainer.as_ref().and_then(|settings| {
        explainer(&settings.model, settings.timeout.duration(), models)
            .map_err(|error| {
                let name = &settings.model.model;
                remarks.push(format!("the explainer `{name}` can't be asked: {error}"));
            })
            .ok()
    });
    Judges {
        classifier,
        explainer,
        remarks,
    }
}

/// The environment of what is started here: without secrets, and without the keys of the judges whatever their
/// variables are called.
pub(in crate::verbs) fn environment(settings: &PointsmanSettings) -> Environment {
    let all = Environment::without_secrets(std::env::vars_os());
    let keys = key_variables(settings);
    keys.iter().fold(all, |all, key| all.without(key))
}

/// What hooks, and the other programs that settings name, find when they start.
pub(in crate::verbs) fn hook_place(
    loaded: &Loaded,
    place: &Place,
    attended: Attended,
) -> HookPlace {
    HookPlace {
        project: place.project.clone(),
        home: place.home.clone(),
        environment: environment(&loaded.pointsman),
        attended,
        tree: Arc::new(DiskTree),
        allow_rules: loaded.switches.allow_rules,
        ledger: None,
    }
}

/// The variables that hold the judges' keys, which nothing that the run starts may see.
fn key_variables(settings: &PointsmanSettings) -> Vec<String> {
    let classifier = settings
        .classifier
        .as_ref()
        .and_then(|named| match &named.by {
            ClassifierBy::Model(model) => Some(model),
            ClassifierBy::Program { .. } => None,
        });
    let explainer = settings.explainer.as_ref().map(|named| &named.model);
    let models = classifier.into_iter().chain(explainer);
    models
        .map(|model| settings_of(model).key_variable().to_owned())
        .collect()
}

fn classifier(
    settings: &ClassifierSettings,
    models: &ModelAccess,
    project: &AbsPath,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<dyn Classifier>, (String, ModelSettingsError)> {
    let time_max = settings.timeout.duration();
    match &settings.by {
        ClassifierBy::Program { command } => {
            let (program, args) = match command.split_first() {
                Some((program, args)) => (&**program, args),
                // Settings without a program name no classifier.
                None => ("", &command[..]),
            };
            let clock = Arc::clone(clock);
            let folder = project.clone();
            Ok(Arc::new(ProgramClassifier::new(
                program, args, folder, time_max, clock,
            )))
        }
        ClassifierBy::Model(model) => {
            let named = |error| (model.model.to_string(), error);
            let asked = settings_of(model);
            let spending = asked.spending().map_err(named)?;
            let (endpoint, transport) = models.reach(&asked).map_err(named)?;
            let guidance = guidance(&settings.guidance);
            let clock = Arc::clone(clock);
            let limits = Limits::judgement(time_max);
            let limits = match settings.attempt_timeout {
                Some(attempt_max) => limits.with_attempts_of(attempt_max.duration()),
                None => limits,
            };
            ModelClassifier::new(endpoint, transport, spending, limits, guidance, clock)
                .map(|classifier| Arc::new(classifier) as Arc<dyn Classifier>)
                .map_err(|error| named(error.into()))
        }
    }
}

fn explainer(
    model: &ModelSetting,
    time_max: std::time::Duration,
    models: &ModelAccess,
) -> Result<Explainer, ModelSettingsError> {
    let asked = settings_of(model);
    let spending = asked.spending()?;
    let (endpoint, transport) = models.reach(&asked)?;
    Ok(Explainer::new(endpoint, transport, spending, time_max)?)
}

/// The same model as job files name it, so that both are reached alike.
fn settings_of(model: &ModelSetting) -> ModelSettings {
    let text = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
    let budget = &model.budget;
    ModelSettings {
        model: model.model.to_string(),
        dialect: match model.dialect {
            Spoken::Anthropic => ModelDialect::Anthropic,
            Spoken::OpenAi => ModelDialect::OpenAi,
        },
        base_url: text(&model.base_url),
        base_url_env: None,
        key_env: text(&model.key_env),
        instructions: None,
        turns_max: None,
        output_tokens_max: None,
        context_tokens: None,
        temperature: None,
        budget: Some(BudgetSettings {
            tokens: budget.tokens,
            money: budget.money.map(Amount::in_ones),
            time_s: budget.time.map(|time| time.duration().as_secs().max(1)),
        }),
        prices: model.prices.map(|prices| PriceSettings {
            input: prices.input.in_ones(),
            output: prices.output.in_ones(),
            cache_read: prices.cache_read.map(Amount::in_ones),
            cache_write: prices.cache_write.map(Amount::in_ones),
        }),
    }
}

fn guidance(settings: &GuidanceSettings) -> ClassifierGuidance {
    let texts = |texts: &[Box<str>]| texts.iter().map(ToString::to_string).collect();
    ClassifierGuidance {
        environment: texts(&settings.environment),
        allow: texts(&settings.allow),
        refuse: texts(&settings.refuse),
    }
}
