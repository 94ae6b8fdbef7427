import { signal } from '@preact/signals';
import { recall, remember } from '../remembered';

/** The namespace whose objects are shown; empty: those of all. */
export const project = signal('default');

export function startProject(): void {
  project.value = recall('project') ?? 'default';
}

export function chooseProject(chosen: string): void {
  project.value = chosen;
  remember('project', chosen);
}

/** An address may name an object of another project: then that one is chosen, or the object would not be there. */
export function includeProject(namespace: string): void {
  if (project.peek() !== '' && project.peek() !== namespace) chooseProject(namespace);
}
