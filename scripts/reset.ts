import { rmSync } from 'node:fs';

/** Everything the local service has stored: database, files, objects. The keys in .dev.vars stay. */
rmSync('.wrangler/state', { recursive: true, force: true });
console.log('Local state cleared.');
