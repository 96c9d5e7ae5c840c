import { dispatch } from '#queues/dispatch.ts';
import { createApp } from './app.ts';
import type { Bindings } from './settings/env.ts';

export { ChatStream } from '#objects/chat-stream.ts';
export { JobIntake } from '#objects/job-intake.ts';
export { JobState } from '#objects/job-state.ts';
export { MetricsKeeper } from '#objects/metrics-keeper.ts';
export { PipelineSync } from '#objects/pipeline-sync.ts';
export { SearchShard } from '#objects/search-shard.ts';

const app = createApp();

export default {
  fetch: app.fetch,
  queue: dispatch,
} satisfies ExportedHandler<Bindings>;
