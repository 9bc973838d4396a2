/**
 * What the browser's scripts use and TypeScript's DOM does not know. Visitors load the scripts with their comments, so
 * types that casts would repeat are here.
 */

/** The element that a selector finds. Only drawings are SVG, and no script looks for a part of a drawing. */
type Found<Selector extends string> = Selector extends keyof HTMLElementTagNameMap
  ? HTMLElementTagNameMap[Selector]
  : Selector extends keyof Known
    ? Known[Selector]
    : HTMLElement

type Known = {
  '.brand': HTMLAnchorElement
  '.open': HTMLAnchorElement
  '#visit': HTMLDetailsElement
  '#words': HTMLTextAreaElement
  'button[data-copy]': HTMLButtonElement
  'dialog.keys': HTMLDialogElement
  'form[toolname]': HTMLFormElement
  '[toolparamdescription]': HTMLInputElement | HTMLTextAreaElement
}

interface ParentNode {
  querySelector<Selector extends string>(selector: Selector): Found<Selector> | null
  querySelectorAll<Selector extends string>(selector: Selector): NodeListOf<Found<Selector>>
}

interface Element {
  closest(selector: string): HTMLElement | null
}

/** WebMCP: https://webmachinelearning.github.io/webmcp/ */
interface Document {
  readonly modelContext?: { registerTool(tool: Tool): Promise<void> }
}

interface SubmitEvent {
  readonly agentInvoked?: boolean
  respondWith(answer: Promise<string>): void
}

type Tool = {
  name: string | null
  title: string | null
  description: string | null
  inputSchema: object
  execute(details: object): object
}

/** Trusted Types: https://www.w3.org/TR/trusted-types/. */
interface Window {
  readonly trustedTypes?: { createPolicy(name: string, policy: Policy): Policy }
}

type Policy = { createScriptURL(address: string): string }
