//! The commands of the models.

use super::ModelsView;
use crate::models::ModelKind;
use crate::window::commands::commands;

commands! {
    models(app);

    super(app) {
        /// Returns the folders of models and what is in them. Reads the folders again.
        [Long] view() -> ModelsView;
        /// Lets the user choose folders in which models are looked for.
        [Long] add_folders() -> ModelsView;
        /// Stops looking for models in a folder. Its files are kept.
        [Long] remove_folder(folder: u32) -> ModelsView;
        /// Confirms the licence of a kind of model, or withdraws the confirmation.
        [Long] confirm_licence(kind: ModelKind, confirmed: bool) -> ModelsView;
    }
}
