/* Before anything is drawn: where scripts run, one page is shown at a time. */
document.documentElement.classList.add("scripted");
