/** What the person at the keyboard got wrong, said so that they can mend it. @module */

/** One thing that is wrong in a file or on the command line. */
export interface Issue {
  /** The file, or "command line". */
  file: string;
  /** Where in it: `servers.notes.comand`. Empty for the file as a whole. */
  path: string;
  /** 1-based, where the parser knows it. */
  line?: number;
  message: string;
  hint?: string;
}

/** A wrong flag or a wrong configuration: exit code 2. Never thrown for what a server or a model did. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string | undefined;
  readonly issues: readonly Issue[];
  constructor(message: string, options: { hint?: string; issues?: readonly Issue[] } = {}) {
    super(message);
    this.hint = options.hint;
    this.issues = options.issues ?? [];
  }
}
