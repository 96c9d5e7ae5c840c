import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { describeAttempts, describeFailures } from './failed-attempts.ts';

/** Folder of the reports, relative to the checkout. */
export const REPORT_FOLDER = 'dist/test-reports';

/** Result of a run of one or more projects. */
export interface RunReport {
  /** Duration in milliseconds by project and file, such as `modules test/lib/csv.test.ts`. */
  files: Record<string, number>;
  /** Tests that passed only when they were run once more, with the errors of all attempts. */
  retried: { test: string; reason: string }[];
  /** Tests and files that failed, with the errors of all attempts. */
  failed: { test: string; reason: string }[];
}

/** Writes the duration of each file and the tests that were retried to a file in `REPORT_FOLDER`. */
export class RunReporter implements Reporter {
  readonly #report: RunReport = { files: {}, retried: [], failed: [] };
  readonly #projects = new Set<string>();

  onTestCaseResult(test: TestCase): void {
    const isFailed = test.result().state === 'failed';
    const isRetried = test.diagnostic()?.flaky === true;
    if (!isFailed && !isRetried) return;
    const entry = {
      test: `${nameModule(test.module)} > ${test.fullName}`,
      reason: describeAttempts(test.attempts()),
    };
    (isFailed ? this.#report.failed : this.#report.retried).push(entry);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#projects.add(module.project.name);
    const { duration, collectDuration, setupDuration } = module.diagnostic();
    const errors = module.errors();
    if (errors.length > 0) {
      this.#report.failed.push({ test: nameModule(module), reason: describeFailures(errors) });
    }
    this.#report.files[nameModule(module)] = Math.round(duration + collectDuration + setupDuration);
  }

  onTestRunEnd(): void {
    mkdirSync(REPORT_FOLDER, { recursive: true });
    const file = join(REPORT_FOLDER, `${[...this.#projects].sort().join('-') || 'none'}.json`);
    writeFileSync(file, JSON.stringify(this.#report, null, 2));
  }
}

const nameModule = ({ project, relativeModuleId }: TestModule) => `${project.name} ${relativeModuleId}`;
