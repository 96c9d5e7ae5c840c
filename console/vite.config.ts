import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Built by scripts/build.ts into the Worker's assets; `npm run console:dev` serves it beside a running service. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: '../public/console',
    emptyOutDir: true,
    // Pictures and fonts as files of their own: the policy of the page allows no data in styles.
    assetsInlineLimit: 0,
    // What preloads would need to be set inline, and every chunk is near.
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
