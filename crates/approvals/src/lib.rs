//! Open requests and their one verdict: the table, what a verdict is bound to, deadlines, grants,
//! trust in projects, and the mailbox that carries a worker's request to its leader, within the process or
//! over a local socket.
//!
//! Nothing here decides what may be done; it sees to it that every question is stored before it is
//! told, answered exactly once, and that the answer is on disk before anyone acts on it.

mod requests;

#[cfg(test)]
mod sample;

mod bind;
mod grants;
mod mailbox;
mod private_socket;
mod reign;
mod save;
mod trust;

pub use bind::{
    BoundFiles, Found, NotAllTold, bind, bind_showing, bound_files, executed_on_disk, led_to,
};
pub use grants::{Grants, GrantsError, NewGrant, UseError};
pub use mailbox::{
    AdmitError, Dial, ForwardError, Forwarded, InProcessMailbox, Inbox, LeaderLine, Letter, Line,
    Mailbox, Pass, PostOffice, PostOfficeHandle, PostSocket, RemoteMailbox, RemoteService,
    SocketDial, Stamp, ToLeader, ToWorker, Undelivered, WorkerLine, in_process, post_office,
    remote,
};
pub use private_socket::{BindError, PrivateSocket};
pub use reign::{Epoch, Generation, Reign};
pub use requests::{
    Advice, Answer, AnswerError, Answered, EditedInput, EditedInputs, EndScope, OpenError,
    OpenRequest, RequestEvent, RequestEvents, Requests, RequestsOptions, RequestsService, TakenUp,
    Ticket,
};
pub use save::{SaveError, save_rules};
pub use trust::{Revoked, TrustFile, TrustFileError};
