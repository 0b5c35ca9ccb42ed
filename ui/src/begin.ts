// The window's interface, in the language that was chosen before this is loaded.

import { mount } from 'svelte';
import AppView from './App.svelte';
import type { Backend } from './backend';
import { App } from './state/app.svelte';

export function begin(backend: Backend): void {
  const target = document.getElementById('app');
  if (target) mount(AppView, { target, props: { app: new App(backend) } });
}
