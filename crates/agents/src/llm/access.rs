//! How models are reached: the network, and the variables that hold keys and addresses.

use std::fmt;
use std::sync::{Arc, OnceLock};

use pointsman_llm::{Cassette, Client, ClientError, Endpoint, Limits, Spending, Transport};

use super::{ModelSettings, ModelSettingsError};

/// Looks a variable up.
type Variable = dyn Fn(&str) -> Option<String> + Send + Sync;

/// How models are reached. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct ModelAccess {
    transport: Arc<OnceLock<Result<Transport, ClientError>>>,
    proxy: Option<Box<str>>,
    variable: Arc<Variable>,
    keys: Keys,
}

/// Whether models ask for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    Needed,
    /// A record asks for none.
    Spared,
}

/// What stands for a key where none is needed.
const NO_KEY: &str = "none-needed";

impl ModelAccess {
    /// Reaches models over the network, through a proxy if there is one; nothing is made ready before the first
    /// model is wanted. `variable` looks a variable up.
    #[must_use]
    pub fn over_network(
        proxy: Option<&str>,
        variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            transport: Arc::default(),
            proxy: proxy.map(Into::into),
            variable: Arc::new(variable),
            keys: Keys::Needed,
        }
    }

    /// Reaches models by this transport: one that records, or plays a recording.
    #[must_use]
    pub fn by(
        transport: Transport,
        variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            transport: Arc::new(OnceLock::from(Ok(transport))),
            proxy: None,
            variable: Arc::new(variable),
            keys: Keys::Needed,
        }
    }

    /// Lets models say what a record has, without a key and without the network.
    #[must_use]
    pub fn played(
        cassette: Cassette,
        variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            keys: Keys::Spared,
            ..Self::by(Transport::cassette(cassette), variable)
        }
    }

    /// Where the model is that the settings name, and the way to it.
    ///
    /// # Errors
    /// When there is no key, or an address or the network can't be used.
    pub fn reach(
        &self,
        settings: &ModelSettings,
    ) -> Result<(Endpoint, Transport), ModelSettingsError> {
        let endpoint = settings.endpoint(|name| {
            let spared = || self.keys == Keys::Spared && name == settings.key_variable();
            (self.variable)(name).or_else(|| spared().then(|| NO_KEY.into()))
        })?;
        let transport = self
            .transport
            .get_or_init(|| Transport::network(self.proxy.as_deref()))
            .clone()?;
        Ok((endpoint, transport))
    }

    /// A client of the model that the settings name. What it spends goes into `spending`.
    ///
    /// # Errors
    /// When there is no key, or an address or the network can't be used.
    pub fn client(
        &self,
        settings: &ModelSettings,
        spending: &Spending,
    ) -> Result<Client, ModelSettingsError> {
        let (endpoint, transport) = self.reach(settings)?;
        let spending = spending.apart();
        Ok(Client::new(endpoint, transport, Limits::AGENT, spending)?)
    }
}

impl fmt::Debug for ModelAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelAccess").finish_non_exhaustive()
    }
}
