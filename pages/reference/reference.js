// Comfort only: every page is complete without it.
const choice = 'reference-language';
for (const input of document.querySelectorAll('input[name="language"]')) {
  if (input.value === localStorage.getItem(choice)) input.checked = true;
  input.addEventListener('change', () => localStorage.setItem(choice, input.value));
}

if (navigator.clipboard) {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    });
    figure.querySelector('figcaption').append(button);
  }
}

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  event.preventDefault();
  document.querySelector('input[type="search"]').focus();
});
