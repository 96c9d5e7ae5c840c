import { env } from 'cloudflare:workers';
import { builtin } from '#src/models/ocr/builtin.ts';
import { drawn } from '#test/fixtures/scan.ts';
import { ocrSuite } from '#test/suites/ocr.suite.ts';
import { modelDeps } from '#test/support/models.ts';

// The engine is the Worker in ocr/, behind its service binding.
ocrSuite({
  name: 'built-in',
  capabilities: builtin.capabilities,
  open: () => builtin.open({}, modelDeps({ OCR_ENGINE: env.TEST_OCR_ENGINE })),
  openBroken: () =>
    builtin.open(
      {},
      modelDeps({ OCR_ENGINE: { recognise: () => Promise.reject(new Error('The Worker is gone')) } }),
    ),
  page: () => drawn(['The harbour master is called', 'Matilda Oyelaran.']),
  says: ['harbour master', 'Matilda Oyelaran'],
  empty: () => drawn([]),
  languages: { read: ['en'], unread: 'th' },
});
