import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compileMessages } from './messages-plugin.ts';

/**
 * scripts/build.ts builds the console into the Worker's assets. `npm run console:dev` serves it against a
 * running service.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [compileMessages(), react()],
  build: {
    outDir: '../public/console',
    emptyOutDir: true,
    // Images and fonts stay separate files, because the Content Security Policy forbids data URLs in styles.
    assetsInlineLimit: 0,
    // Omits the preload polyfill, which would have to be set inline. Chunks come from the same server, so
    // they load quickly without it.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Licences of the bundled packages, for the third-party notices of scripts/assemble.ts.
    license: { fileName: 'licenses.json' },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/openapi.json', '/health'].map((path) => [
        path,
        process.env.SLUICE ?? 'http://127.0.0.1:8787',
      ]),
    ),
  },
});
