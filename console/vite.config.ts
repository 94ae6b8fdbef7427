import { defineConfig } from 'vitest/config';
import { chunks, findImports } from './chunks';

export default defineConfig({
  oxc: { jsx: { importSource: 'preact' } },
  plugins: [findImports],
  build: {
    target: 'es2022',
    // Files, never data: addresses or inline code, so that the Content-Security-Policy stays strict.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: chunks } },
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
