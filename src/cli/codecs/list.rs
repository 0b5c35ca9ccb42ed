//! `undertone codecs list`.

use serde::Serialize;

use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::codecs::{FAMILIES, Family};
use crate::error::{Failure, Result};

#[derive(Serialize)]
struct Row {
    name: &'static str,
    title: &'static str,
    settings: &'static str,
    usual: Option<&'static str>,
    rates: &'static str,
    channels: &'static str,
    latency: &'static str,
    /// Why it cannot be used on this system.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Failure>,
}

impl From<&Family> for Row {
    fn from(family: &Family) -> Self {
        Self {
            name: family.name,
            title: family.title,
            settings: family.settings,
            usual: family.usual,
            rates: family.rates,
            channels: family.channels,
            latency: family.latency,
            missing: family.check_available().err().map(Failure::from),
        }
    }
}

pub fn run(output: &Output) -> Result<Outcome> {
    let rows: Vec<Row> = FAMILIES.iter().map(Row::from).collect();
    if output.is_json() {
        output.json(&serde_json::json!({ "codecs": rows }))?;
        return Ok(Outcome::Done);
    }
    for row in rows {
        output.line(&format!("{:<8}{}", row.name, row.title));
        let usual = match row.usual {
            None => "; a setting is needed".to_owned(),
            Some("") => String::new(),
            Some(usual) => format!("; usually {usual}"),
        };
        output.line(&format!("        settings  {}{usual}", row.settings));
        output.line(&format!("        rates     {}; channels: {}", row.rates, row.channels));
        output.line(&format!("        delay     {}", row.latency));
        if let Some(missing) = row.missing {
            output.line(&format!("        missing   {}", missing.message));
        }
    }
    Ok(Outcome::Done)
}
