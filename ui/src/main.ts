import '@fontsource-variable/inter/wght.css';
import './styles/tokens.css';
import './styles/base.css';

import { mount } from 'svelte';
import AppView from './App.svelte';
import { connect } from './backend';
import { App } from './state/app.svelte';

const target = document.getElementById('app');
if (target) mount(AppView, { target, props: { app: new App(await connect()) } });
