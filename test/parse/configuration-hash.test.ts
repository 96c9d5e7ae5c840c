import { expect, it } from 'vitest';
import { parsingConfigHash } from '#src/parse/configuration-hash.ts';

it('ignores the source of the file and delivery options', async () => {
  const plain = await parsingConfigHash({ target_pages: '1' });
  const told = {
    http_proxy: 'p:1',
    input_bucket_path: 's3://b/k',
    input_bucket_region: 'eu-west-1',
    input_url: 'https://h.example/a?sig=1',
    priority: 'low',
    project_id: 'p',
    webhook_url: 'https://h.example/',
  };
  expect(await parsingConfigHash({ target_pages: '1', ...told })).toBe(plain);
});

it('depends on limits, so that a failed file is parsed again with other limits', async () => {
  const limits = [{}, { max_pages_enforced: 3 }, { job_timeout_in_seconds: 9 }, { target_pages: '1' }];
  expect(new Set(await Promise.all(limits.map(parsingConfigHash))).size).toBe(limits.length);
});
