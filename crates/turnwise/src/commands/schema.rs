//! `turnwise schema`: the JSON schema of study files.

use crate::failure::{Failure, Status};
use crate::output;

pub(crate) fn schema() -> Result<Status, Failure> {
    output::print(&turnwise_study::schema::text())?;
    Ok(Status::Fine)
}
