# Bender Lab for a class: docker build -t bender-lab . && docker run -p 8501:8501 -v bender-data:/home/lab/data bender-lab
FROM python:3.13-slim

RUN useradd --create-home lab
WORKDIR /home/lab/bender-lab
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY . .

USER lab
ENV BENDER_DATA_DIR=/home/lab/data
# Created here so that a volume mounted over it belongs to the user. The code compiled here serves machines of this kind;
# others compile again when they start.
RUN mkdir /home/lab/data && python -m bender_core warm-up
VOLUME /home/lab/data

EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://localhost:8501/_stcore/health', timeout=4)"]
CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501", "--server.headless=true"]
