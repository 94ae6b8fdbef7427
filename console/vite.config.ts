import { defineConfig } from 'vitest/config';

export default defineConfig({
  oxc: { jsx: { importSource: 'preact' } },
  build: {
    target: 'es2022',
    // Files, never data: addresses or inline code, so that the Content-Security-Policy stays strict.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
