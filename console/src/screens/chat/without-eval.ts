import { config } from 'zod/v4/core';

// zod would try whether it may make functions of text; the page's policy forbids that, and the browser would complain.
// Imported before everything that brings zod.
config({ jitless: true });
