/** The three elements of the console. Each page works without them. */

const isElement = (node) => node.nodeType === Node.ELEMENT_NODE;

const syncAttributes = (from, to) => {
  for (const { name } of [...from.attributes])
    if (!to.hasAttribute(name)) from.removeAttribute(name);
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
};

/** Makes a part of the page like another one. Equal nodes stay, with their focus and selection. */
const morph = (from, to) => {
  if (from.isEqualNode(to)) return;
  if (from.nodeName !== to.nodeName) {
    from.replaceWith(document.importNode(to, true));
    return;
  }
  if (!isElement(from)) {
    from.nodeValue = to.nodeValue;
    return;
  }
  syncAttributes(from, to);
  const wanted = [...to.childNodes];
  const present = [...from.childNodes];
  for (const [index, child] of wanted.entries()) {
    const old = present[index];
    if (old) morph(old, child);
    else from.append(document.importNode(child, true));
  }
  for (const extra of present.slice(wanted.length)) extra.remove();
};

const everyMs = 5_000;
/** Then the page stands still: looking at it must not keep the session alive. */
const mostLooks = 60;
const typedMs = 1_200;

const movingParts = () => [...document.querySelectorAll('live-region[data-moving]')];

/** Reads its page again while something moves, or the price of the form that it stands in. */
class LiveRegion extends HTMLElement {
  #timer;
  #looks = 0;
  #asked = 0;

  connectedCallback() {
    if (this.hasAttribute('data-price')) {
      this.closest('form').addEventListener('input', () => this.#after(typedMs));
    } else if (movingParts()[0] === this) this.#after(everyMs);
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  #after(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  /** The form as its check button sends it; undefined while something is missing, and with a file. */
  #form() {
    const form = this.closest('form');
    const chosen = form.querySelector('input[type="file"]')?.files.length ?? 0;
    if (chosen > 0 || !form.checkValidity()) return undefined;
    const body = new FormData(form);
    body.set('do', 'check');
    return { method: 'POST', body };
  }

  async #look() {
    const isPrice = this.hasAttribute('data-price');
    const sent = isPrice ? this.#form() : { method: 'GET' };
    if (!sent) return;
    this.#asked += 1;
    const turn = this.#asked;
    const answer = await fetch(location.pathname, sent).catch(() => undefined);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    // The answer to a later change is shown already, or comes soon.
    if (turn !== this.#asked || !this.isConnected) return;
    for (const part of isPrice ? [this] : movingParts()) {
      const found = page.getElementById(part.id);
      if (found) morph(part, found);
    }
    // Its price and pages are those of the form as it was.
    if (isPrice) document.querySelector('#checked')?.remove();
    this.#looks += 1;
    if (this.hasAttribute('data-moving') && this.#looks < mostLooks) this.#after(everyMs);
  }
}

/** A text with a button that copies it. */
class CopyText extends HTMLElement {
  connectedCallback() {
    if (!navigator.clipboard || this.querySelector('button')) return;
    const text = this.textContent.trim();
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button quiet';
    button.textContent = this.dataset.copy;
    button.setAttribute('aria-live', 'polite');
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = this.dataset.copied;
    });
    this.append(' ', button);
  }
}

/** A place for a file next to the field that takes it. */
class FileDrop extends HTMLElement {
  connectedCallback() {
    const field = this.querySelector('input[type="file"]');
    this.dataset.ready = '';
    this.addEventListener('dragover', (event) => {
      event.preventDefault();
      this.dataset.over = '';
    });
    this.addEventListener('dragleave', () => delete this.dataset.over);
    this.addEventListener('drop', (event) => {
      event.preventDefault();
      delete this.dataset.over;
      if (event.dataTransfer.files.length === 0) return;
      field.files = event.dataTransfer.files;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
  }
}

customElements.define('live-region', LiveRegion);
customElements.define('copy-text', CopyText);
customElements.define('file-drop', FileDrop);
