import '@fontsource-variable/inter/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/classes.css';

import { connect } from './backend';
import { askedLanguage, resolveLanguage, speak } from './text/language';

const backend = await connect();
// Loads the language before any module that reads it. The window itself reports a core that does not answer.
const setting = await backend.call('settings.view', {}).then(({ language }) => language, () => 'system' as const);
await speak(askedLanguage(location.search) ?? resolveLanguage(setting, navigator.languages));
const { begin } = await import('./begin');
begin(backend);
