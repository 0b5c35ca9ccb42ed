//! The arguments of a command as JSON, read one by one. A `Deserialize` struct for each command would add half a
//! megabyte of code.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// The greatest number of characters of wrong arguments that an error shows.
const MOST_SHOWN: usize = 200;

/// The argument whose value is never shown in a message.
const PASSWORD: &str = "password";

/// Arguments that have not been read yet.
pub(super) struct Arguments<'a> {
    command: &'a str,
    values: Map<String, Value>,
    /// The text of the arguments that an error shows.
    shown: String,
}

impl<'a> Arguments<'a> {
    /// Takes the arguments of a command, whose names are `names`.
    ///
    /// # Errors
    /// [`Error::Impossible`] for arguments with other names.
    pub fn new(command: &'a str, names: &[&str], args: Value) -> Result<Self> {
        let is_secret = args.get(PASSWORD).is_some();
        let shown = if is_secret { String::new() } else { args.to_string().chars().take(MOST_SHOWN).collect() };
        let mut arguments = Self { command, values: Map::new(), shown };
        let Value::Object(values) = args else { return Err(arguments.wrong("expected an object")) };
        arguments.values = values;
        if let Some(unknown) = arguments.values.keys().find(|name| !names.contains(&name.as_str())) {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let expected = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(arguments.wrong(&format!("unknown field `{unknown}`, expected {expected}")));
        }
        Ok(arguments)
    }

    /// Reads an argument; `None` if it is optional and missing.
    pub fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<T> {
        match self.values.remove(name) {
            Some(value) => serde_json::from_value(value).map_err(|error| {
                // The error quotes the value.
                let why = if name == PASSWORD { "of another type".to_owned() } else { error.to_string() };
                self.wrong(&format!("`{name}`: {why}"))
            }),
            None => serde_json::from_value(Value::Null).map_err(|_| self.wrong(&format!("missing field `{name}`"))),
        }
    }

    fn wrong(&self, why: &str) -> Error {
        Error::impossible(format!("Arguments of {} are wrong: {why}: {}", self.command, self.shown))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(args: Value) -> Result<(u32, Option<String>)> {
        let mut arguments = Arguments::new("show", &["document", "name"], args)?;
        Ok((arguments.take("document")?, arguments.take("name")?))
    }

    #[test]
    fn arguments_are_read_by_name() {
        assert_eq!(arguments(json!({ "name": "a", "document": 7 })).unwrap(), (7, Some("a".into())));
        assert_eq!(arguments(json!({ "document": 7, "name": null })).unwrap(), (7, None));
        assert_eq!(arguments(json!({ "document": 7 })).unwrap(), (7, None));
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (args, why) in [
            (json!({ "name": "a" }), "missing field `document`"),
            (json!({ "document": "7" }), "`document`: invalid type: string \"7\", expected u32"),
            (json!({ "document": 7, "side": 1 }), "unknown field `side`, expected `document`, `name`"),
            (json!([7, "a"]), "expected an object"),
            (json!(null), "expected an object"),
        ] {
            let said = arguments(args.clone()).unwrap_err().to_string();
            assert!(said.starts_with(&format!("Arguments of show are wrong: {why}: {args}")), "{said}");
        }
    }

    #[test]
    fn a_password_is_in_no_message() {
        let args = json!({ "password": "secret", "other": 1 });
        let said = Arguments::new("enter", &["password"], args).err().unwrap().to_string();
        assert!(!said.contains("secret"), "{said}");
        assert!(said.contains("unknown field `other`"), "{said}");
        let mut arguments = Arguments::new("enter", &["password"], json!({ "password": 271_828 })).unwrap();
        let said = arguments.take::<String>("password").unwrap_err().to_string();
        assert!(said.contains("`password`: of another type") && !said.contains("271828"), "{said}");
    }
}
