import { config } from 'zod/v4/core';

// Keeps zod from testing whether it may compile code with `new Function`. The Content Security Policy forbids
// such code, so the browser would log an error. Import this file before any module that imports zod.
config({ jitless: true });
