import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Folder of the reports, relative to the checkout. */
export const REPORT_FOLDER = 'dist/test-reports';

/** Result of a run of one or more projects. */
export interface RunReport {
  /** Duration in milliseconds by project and file, such as `modules test/lib/csv.test.ts`. */
  files: Record<string, number>;
  /** Tests that passed only when they were run once more, with the beginning of the first failure. */
  retried: { test: string; reason: string }[];
  /** Tests and files that failed, with the beginning of the last error. */
  failed: { test: string; reason: string }[];
}

/** Maximum number of lines of an error in a report. */
const MAX_LINES = 12;

/** Writes the duration of each file and the tests that were retried to a file in `REPORT_FOLDER`. */
export class RunReporter implements Reporter {
  readonly #report: RunReport = { files: {}, retried: [], failed: [] };
  readonly #projects = new Set<string>();

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state === 'failed') this.#addFailure(`${nameModule(test.module)} > ${test.fullName}`, errors);
    if (!test.diagnostic()?.flaky) return;
    this.#report.retried.push({
      test: `${nameModule(test.module)} > ${test.fullName}`,
      reason: describeFailure(errors?.[0]),
    });
  }

  onTestModuleEnd(module: TestModule): void {
    this.#projects.add(module.project.name);
    const { duration, collectDuration, setupDuration } = module.diagnostic();
    const errors = module.errors();
    if (errors.length > 0) this.#addFailure(nameModule(module), errors);
    this.#report.files[nameModule(module)] = Math.round(duration + collectDuration + setupDuration);
  }

  #addFailure(test: string, errors: readonly { message: string; stack?: string }[]): void {
    this.#report.failed.push({ test, reason: describeFailure(errors.at(-1)) });
  }

  onTestRunEnd(): void {
    mkdirSync(REPORT_FOLDER, { recursive: true });
    const file = join(REPORT_FOLDER, `${[...this.#projects].sort().join('-') || 'none'}.json`);
    writeFileSync(file, JSON.stringify(this.#report, null, 2));
  }
}

const nameModule = ({ project, relativeModuleId }: TestModule) => `${project.name} ${relativeModuleId}`;

/** Returns the first lines of an error and the place in the test. */
function describeFailure(error: { message: string; stack?: string } | undefined): string {
  const { message = 'unknown reason', stack = '' } = error ?? {};
  const place = stack.split('\n').find((line) => line.includes('.test.ts')) ?? '';
  const lines = [...message.split('\n').slice(0, MAX_LINES), place.trim()];
  return lines.filter((line) => line !== '').join('\n');
}
