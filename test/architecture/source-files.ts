import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

export const ROOT = path.resolve(__dirname, '../..');

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** Module specifiers as written; type-only imports are marked. */
  readonly imports: readonly { readonly specifier: string; readonly typeOnly: boolean }[];
}

export const SOURCE_FOLDERS = ['bin', 'console', 'lib', 'lambda', 'local', 'examples', 'bench', 'test'];

export function sourceFiles(folders: readonly string[] = SOURCE_FOLDERS): SourceFile[] {
  return folders.flatMap((folder) => walk(path.join(ROOT, folder))).map(read);
}

function walk(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const full = path.join(folder, name);
    if (name === 'node_modules' || name === 'cdk.out') return [];
    if (statSync(full).isDirectory()) return walk(full);
    return /\.(ts|mts|js|mjs|cjs)$/.test(name) && !name.endsWith('.d.ts') ? [full] : [];
  });
}

function read(full: string): SourceFile {
  const text = readFileSync(full, 'utf8');
  const source = ts.createSourceFile(full, text, ts.ScriptTarget.Latest, true);
  const imports: { specifier: string; typeOnly: boolean }[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      const clause = ts.isImportDeclaration(node) ? node.importClause : node;
      const named =
        clause && ts.isImportClause(clause) && clause.namedBindings && ts.isNamedImports(clause.namedBindings)
          ? clause.namedBindings.elements
          : undefined;
      const typeOnly =
        (clause !== undefined && 'isTypeOnly' in clause && clause.isTypeOnly === true) ||
        (named !== undefined && named.length > 0 && named.every((element) => element.isTypeOnly));
      imports.push({ specifier: (node.moduleSpecifier as ts.StringLiteral).text, typeOnly });
    } else if (
      ts.isCallExpression(node) &&
      (node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require') &&
      node.arguments[0] &&
      ts.isStringLiteral(node.arguments[0])
    ) {
      imports.push({ specifier: node.arguments[0].text, typeOnly: false });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return {
    path: path.relative(ROOT, full).split(path.sep).join('/'),
    text,
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    imports,
  };
}

/** The repository path of a relative import, without extension; undefined for packages. */
export function resolved(file: SourceFile, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return path.posix.normalize(path.posix.join(path.posix.dirname(file.path), specifier));
}
