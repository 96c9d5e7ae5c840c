import { emptyService } from './empty-service.ts';

// Files of tests share one runtime. What the one before left behind, webhooks, syncs and retries, would otherwise go on
// within this one and be met by its stubs, counts and dumps.
await emptyService();
