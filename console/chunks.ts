// Which modules come in one file. A file each for eighty small parts would be packed much worse than a few are; one file
// for all would hold up the first page with editors and charts.
import type { Plugin } from 'vite';

/** Loaded by who uses them, each in a file of its own with what is made of it. */
const heavyLibraries = /\/node_modules\/(@codemirror|@lezer|@xterm|uplot)\//;
const yamlLibrary = /\/node_modules\/yaml\//;

/** What each module imports at once; what is imported later is another file's matter. */
const imports = new Map<string, readonly string[]>();
const first = new Set<string>();

function addFirst(id: string): void {
  if (first.has(id)) return;
  first.add(id);
  imports.get(id)?.forEach(addFirst);
}

/** Whether the module needs such a library at once, directly or not. */
function needs(id: string, library: RegExp, seen = new Set<string>()): boolean {
  if (library.test(id)) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return (imports.get(id) ?? []).some((each) => needs(each, library, seen));
}

export const findImports: Plugin = {
  name: 'find-imports',
  buildEnd() {
    const ids = [...this.getModuleIds()];
    for (const id of ids) imports.set(id, this.getModuleInfo(id)?.importedIds ?? []);
    for (const id of ids) if (this.getModuleInfo(id)?.isEntry) addFirst(id);
  },
};

const isPart = (id: string) => !/\/words\/zh\.ts$/.test(id) && !needs(id, heavyLibraries);

export const chunks = {
  includeDependenciesRecursively: false,
  groups: [
    { name: 'first', test: (id: string) => first.has(id), priority: 2 },
    { name: 'forms', test: (id: string) => isPart(id) && needs(id, yamlLibrary), priority: 1 },
    { name: 'pages', test: (id: string) => id.includes('/src/') && isPart(id) },
  ],
};
