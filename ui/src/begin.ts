// Starts the window's interface, in the language chosen before this module is loaded.

import { mount } from 'svelte';
import AppView from './App.svelte';
import type { Backend } from './backend';
import { App } from './state/app.svelte';

export function begin(backend: Backend): void {
  const target = document.getElementById('app');
  if (target) mount(AppView, { target, props: { app: new App(backend) } });
}
