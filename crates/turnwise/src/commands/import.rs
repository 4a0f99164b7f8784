//! `turnwise import`: the study that another simulator's configuration describes.

use crate::arguments::ImportArguments;
use crate::failure::{Failure, Status};
use crate::loading::{default_name, read};
use crate::output;
use turnwise_study::Source;

pub(crate) fn import(arguments: &ImportArguments) -> Result<Status, Failure> {
    let (called, bytes) = read(&arguments.file)?;
    let mut source = Source::empty();
    source.add(&called, &String::from_utf8_lossy(&bytes));
    for text in &arguments.overrides {
        source.add(&format!("argument {text}"), text);
    }
    match turnwise_study::import::study(&default_name(&arguments.file), &source) {
        Ok(study) => output::print(&study)?,
        Err(errors) => return Err(Failure::Study(Box::new(source), errors)),
    }
    Ok(Status::Fine)
}
