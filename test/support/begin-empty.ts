import { emptyService } from './empty-service.ts';

// Test files share one runtime. Webhooks, syncs and retries of the previous file would otherwise continue and
// disturb stubs, counts and dumps of this file.
await emptyService();
